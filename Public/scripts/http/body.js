import { Problem } from "./problem.js"

/**
 * What a successful answer holds.
 *
 * @param {Response} response
 * @param {"json" | "text" | "arrayBuffer"} kind
 * @throws {Problem} If it breaks off, or is no JSON where it should be.
 */
export async function bodyOf(response, kind = "json") {
  try {
    return await response[kind]()
  } catch (error) {
    if (["AbortError", "TimeoutError"].includes(error.name)) throw error
    const { status } = response
    if (error instanceof SyntaxError) throw new Problem({ status, title: "The answer is no JSON", detail: "Does something else answer in the hub's place?" })
    throw new Problem({ status, title: "The answer broke off", detail: "What was asked for may have been done." })
  }
}
