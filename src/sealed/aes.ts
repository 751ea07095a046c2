/** AES-256-GCM: by Node's own cipher, at once, where there is one; else by WebCrypto. Both write the same bytes. */
import { once } from '../kit/index.ts'
import type { Awaitable } from './awaitable.ts'

/** Bytes of a key, of a nonce and of the tag that follows the ciphertext. */
export const keyLength = 32
const nonceLength = 12
const tagLength = 16

/** A key that is ready for use. */
export interface Aes {
  /** A random nonce, the ciphertext and its tag. */
  seal(bytes: Uint8Array, place: Uint8Array): Awaitable<Uint8Array>
  /** Throws, or rejects, where the bytes or the place are others. */
  open(sealed: Uint8Array, place: Uint8Array): Awaitable<Uint8Array>
}

interface NodeCipher {
  setAAD(place: Uint8Array): void
  setAuthTag(tag: Uint8Array): void
  getAuthTag(): Uint8Array
  update(bytes: Uint8Array): Uint8Array
  final(): Uint8Array
}

interface NodeCrypto {
  createSecretKey(bytes: Uint8Array): object
  createCipheriv(name: string, key: object, nonce: Uint8Array, options: object): NodeCipher
  createDecipheriv(name: string, key: object, nonce: Uint8Array, options: object): NodeCipher
}

interface NodeLike {
  readonly process?: { getBuiltinModule?(name: string): Partial<NodeCrypto> | undefined }
}

/** Node, Bun and Deno have it; no import: a bundle for other runtimes stays free of it. */
const node = once((): { readonly crypto?: NodeCrypto } => {
  const crypto = (globalThis as NodeLike).process?.getBuiltinModule?.('node:crypto')
  return typeof crypto?.createCipheriv === 'function' ? { crypto: crypto as NodeCrypto } : {}
})

/** `isWeb`: by WebCrypto in any case. */
export function aesOf(key: Uint8Array, isWeb = false): Aes {
  const { crypto } = node()
  return crypto === undefined || isWeb ? webAes(key) : nodeAes(crypto, key)
}

const cipherName = 'aes-256-gcm'
const options = { authTagLength: tagLength }

function nodeAes(crypto: NodeCrypto, bytes: Uint8Array): Aes {
  const key = crypto.createSecretKey(bytes)
  return {
    seal(plain, place) {
      const sealed = new Uint8Array(nonceLength + plain.length + tagLength)
      const nonce = newNonce()
      const cipher = crypto.createCipheriv(cipherName, key, nonce, options)
      cipher.setAAD(place)
      sealed.set(nonce)
      sealed.set(cipher.update(plain), nonceLength)
      cipher.final()
      sealed.set(cipher.getAuthTag(), nonceLength + plain.length)
      return sealed
    },
    open(sealed, place) {
      const cipher = crypto.createDecipheriv(cipherName, key, sealed.subarray(0, nonceLength), options)
      cipher.setAAD(place)
      cipher.setAuthTag(sealed.subarray(Math.max(nonceLength, sealed.length - tagLength)))
      const plain = cipher.update(
        sealed.subarray(nonceLength, Math.max(nonceLength, sealed.length - tagLength)),
      )
      cipher.final()
      return plain
    },
  }
}

const web = { name: 'AES-GCM', tagLength: tagLength * 8 }

function webAes(bytes: Uint8Array): Aes {
  const imported = once(() =>
    crypto.subtle.importKey('raw', bytes.slice(), 'AES-GCM', false, ['encrypt', 'decrypt']),
  )
  return {
    async seal(plain, place) {
      const nonce = newNonce()
      const parameters = { ...web, iv: nonce, additionalData: place.slice() }
      const text = await crypto.subtle.encrypt(parameters, await imported(), plain.slice())
      const sealed = new Uint8Array(nonceLength + text.byteLength)
      sealed.set(nonce)
      sealed.set(new Uint8Array(text), nonceLength)
      return sealed
    },
    async open(sealed, place) {
      const parameters = { ...web, iv: sealed.slice(0, nonceLength), additionalData: place.slice() }
      return new Uint8Array(
        await crypto.subtle.decrypt(parameters, await imported(), sealed.slice(nonceLength)),
      )
    },
  }
}

/** Nonces that were drawn at once: a call of the generator costs more than its bytes. */
const drawn = { bytes: new Uint8Array(0), at: 0 }

function newNonce(): Uint8Array<ArrayBuffer> {
  if (drawn.at === drawn.bytes.length) {
    drawn.bytes = crypto.getRandomValues(new Uint8Array(nonceLength * 256))
    drawn.at = 0
  }
  const nonce = drawn.bytes.slice(drawn.at, drawn.at + nonceLength)
  drawn.at += nonceLength
  return nonce
}
