/** The blobs that stored JSON names. */

/** A reference is a SHA-256 in hexadecimal, as the value of a key `ref`. */
const reference = /"ref":"([0-9a-f]{64})"/g

/** The references in the text of JSON, each once. A text of a user that looks like one counts too: it deletes nothing. */
export function blobRefsIn(json: string): readonly string[] {
  if (!json.includes('"ref":"')) return []
  return [...new Set(Array.from(json.matchAll(reference), ([, ref = '']) => ref))]
}
