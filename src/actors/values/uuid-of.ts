/** A UUID that is made of a text: equal texts have equal ones (RFC 9562, version 8). */
import { sha256 } from './sha256.ts'

export function uuidOf(text: string): string {
  const digest = sha256(new TextEncoder().encode(text))
  const variant = '89ab'[Number.parseInt(digest.slice(16, 17), 16) % 4]
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-')
}
