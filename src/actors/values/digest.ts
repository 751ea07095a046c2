/**
 * A short, fast digest of text: it distinguishes journal entries, it does not protect secrets.
 * The mixing is that of the public-domain "cyrb53" hash (53 bits), written as two interleaved multiplicative hashes.
 */

/** The state of the digest of a text that grows: the same in whatever pieces the text comes. */
export interface TextDigest {
  readonly a: number
  readonly b: number
}

export const emptyDigest: TextDigest = { a: 0xdeadbeef, b: 0x41c6ce57 }

/** The state after more text. */
export function extendDigest({ a, b }: TextDigest, text: string): TextDigest {
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    a = Math.imul(a ^ unit, 2654435761)
    b = Math.imul(b ^ unit, 1597334677)
  }
  return { a, b }
}

/** The digest of `parts` as one text. They are not joined: reading a joined string is several times as slow. */
export function digestText(...parts: readonly string[]): string {
  let { a, b } = parts.reduce(extendDigest, emptyDigest)
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return inBase36(4294967296 * (2097151 & b) + (a >>> 0))
}

const fiveDigits = 36 ** 5

/** As `toString(36)`, which takes V8 eight times as long for a number beyond 32 bits. */
function inBase36(number: number): string {
  const high = Math.floor(number / fiveDigits)
  if (high === 0) return number.toString(36)
  const low = (number - high * fiveDigits).toString(36)
  return high.toString(36) + '00000'.slice(low.length) + low
}

/** A number in [0, 1) that depends on `text` alone: jitter that replays alike. */
export function unitInterval(text: string): number {
  return Number.parseInt(digestText(text), 36) / 2 ** 53
}
