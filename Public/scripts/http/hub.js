/** Where the hub is, without a slash at the end: two folders up from here. A proxy may have put it under a path. */
const base = new URL("../..", import.meta.url).href.replace(/\/$/, "")

/**
 * The URL of one of the hub's paths.
 *
 * @param {string} path Begins with a slash.
 */
export function hubURL(path) {
  return base + path
}
