/** Bytes as base64, in every environment: Node, Bun, Deno, browsers. */

/** Arguments of one call of `String.fromCharCode`: more would overflow the stack. */
const chunk = 0x8000

/** Bytes as base64. */
export function base64Of(bytes: Uint8Array): string {
  const texts: string[] = []
  for (let at = 0; at < bytes.length; at += chunk) {
    texts.push(String.fromCharCode(...bytes.subarray(at, at + chunk)))
  }
  return btoa(texts.join(''))
}

/** Throws an `InvalidCharacterError` for a text that is not base64. */
export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

/** Whether a text is base64 with its padding: others are read differently from place to place. */
export function isBase64(given: unknown): boolean {
  return typeof given === 'string' && given.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(given)
}
