/**
 * Where the hub is, without a slash at the end: two folders up from here, or three from where the files have the name of their
 * version. A proxy may have put it under a path.
 */
const base = new URL("../..", import.meta.url).href.replace(/\/(v-[0-9a-f]+\/)?$/, "")

/**
 * The URL of one of the hub's paths.
 *
 * @param {string} path Begins with a slash.
 */
export function hubURL(path) {
  return base + path
}
