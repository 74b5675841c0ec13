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
    const words = error instanceof SyntaxError
      ? { title: "The answer is no JSON", detail: "Does something else answer in the hub's place?" }
      : { title: "The answer broke off", detail: "What was asked for may have been done." }
    throw new Problem({ status: response.status, ...words })
  }
}
