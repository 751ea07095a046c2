/**
 * SHA-256 (FIPS 180-4) of bytes: by Node's own digest where there is one, by the Web's for large bytes that may wait, and
 * else by the one below.
 */
import { once } from './once.ts'

const size = 64

/** Bytes from which on a digest that may wait does not hold the event loop. */
const large = 2 ** 20

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const k = /* @__PURE__ */ Uint32Array.from([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
  0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
  0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
  0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
  0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
  0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
  0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
  0xc67178f2,
])

/** The digest in hexadecimal, 64 characters, at once. */
export function sha256(bytes: Uint8Array): string {
  const { digest } = node()
  return digest === undefined ? ownSha256(bytes) : digest(bytes)
}

/** The same, later: other work goes on beside the digest of large bytes, which must not change meanwhile. */
export async function sha256Later(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const { subtle } = globalThis.crypto as Partial<Crypto>
  // Absent where a page is not served over HTTPS.
  if (bytes.length < large || subtle === undefined) return sha256(bytes)
  return hexOf(new Uint8Array(await subtle.digest('SHA-256', bytes)))
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

type Digest = (bytes: Uint8Array) => string

interface NodeHash {
  update(bytes: Uint8Array): NodeHash
  digest(encoding: 'hex'): string
}

interface NodeLike {
  readonly process?: {
    getBuiltinModule?(name: string): { readonly createHash?: (name: string) => NodeHash } | undefined
  }
}

/** Node, Bun and Deno have it; no import: a bundle for browsers stays free of it. */
const node = once((): { readonly digest?: Digest } => {
  const createHash = (globalThis as NodeLike).process?.getBuiltinModule?.('node:crypto')?.createHash
  if (createHash === undefined) return {}
  return { digest: (bytes) => createHash('sha256').update(bytes).digest('hex') }
})

/** The digest without the help of a platform. */
export function ownSha256(bytes: Uint8Array): string {
  const state = Uint32Array.of(
    0x6a09e667,
    0xbb67ae85,
    0x3c6ef372,
    0xa54ff53a,
    0x510e527f,
    0x9b05688c,
    0x1f83d9ab,
    0x5be0cd19,
  )
  const schedule = new Uint32Array(size)
  const whole = bytes.length - (bytes.length % size)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 0; at < whole; at += size) addBlock(state, schedule, view, at)
  const tail = tailOf(bytes.subarray(whole), bytes.length)
  for (let at = 0; at < tail.byteLength; at += size) addBlock(state, schedule, tail, at)
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('')
}

/** The last bytes, a one bit, zeros, and the length in bits. */
function tailOf(rest: Uint8Array, length: number): DataView {
  const padded = new Uint8Array(rest.length + 9 <= size ? size : 2 * size)
  padded.set(rest)
  padded[rest.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setBigUint64(padded.length - 8, BigInt(length) * 8n)
  return view
}

function addBlock(state: Uint32Array, w: Uint32Array, block: DataView, at: number): void {
  for (let i = 0; i < 16; i++) w[i] = block.getUint32(at + 4 * i)
  for (let i = 16; i < size; i++) {
    const x = w[i - 15] as number
    const y = w[i - 2] as number
    const s0 = turned(x, 7) ^ turned(x, 18) ^ (x >>> 3)
    const s1 = turned(y, 17) ^ turned(y, 19) ^ (y >>> 10)
    w[i] = (w[i - 16] as number) + s0 + (w[i - 7] as number) + s1
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let i = 0; i < size; i++) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const choice = (e & f) ^ (~e & g)
    const first = (h + s1 + choice + (k[i] as number) + (w[i] as number)) | 0
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)
    const majority = (a & b) ^ (a & c) ^ (b & c)
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + s0 + majority) | 0
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] = (state[i] as number) + word
}

/** The word rotated to the right. */
function turned(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by))
}

/** A UUID that is made of a text: equal texts have equal ones (RFC 9562, version 8). */
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
