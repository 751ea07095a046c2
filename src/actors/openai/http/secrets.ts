/** The secrets of a model: its key, and those in its headers and its address. They are redacted in messages. */

import { withoutEnd } from '../../text/without-end.ts'

/** Shorter secrets are placeholders, such as "ollama": they protect nothing, and may be words of a message. */
const shortestSecret = 8

/** The key for a server that asks for none, as local ones do: the client insists on a key. */
export const noKey = 'not-needed'

/** A password of at least this length is replaced where it is a whole word. */
const shortestPassword = 4

/** Keys may change from call to call: the oldest are dropped. */
const mostSecrets = 200

const secretHeader = /auth|api-?key|token|secret|cookie|password|credential|subscription-key/i
const secretParameter = /key|token|secret|sig|auth|password|credential/i

export class Secrets {
  /** The replacement of each secret. */
  readonly #replacements = new Map<string, string>()
  readonly #passwords = new Set<string>()
  #lastUrl = ''

  /** An API key. */
  addKey(key: string | null | undefined): void {
    this.#add(key, '[API key]')
  }

  /** The headers of a request. */
  addHeaders(headers: Headers): void {
    for (const [name, value] of headers) {
      if (!secretHeader.test(name) || name === 'idempotency-key') continue
      const [, scheme = '', rest = value] = /^(basic|bearer)\s+(\S.*)$/i.exec(value) ?? []
      this.#add(rest, scheme.toLowerCase() === 'bearer' ? '[API key]' : '[secret]')
      if (scheme.toLowerCase() === 'basic') this.#addCredentials(decoded(() => atob(rest)))
    }
  }

  /** The credentials and parameters of an address. */
  addUrl(url: string): void {
    if (url === this.#lastUrl) return
    this.#lastUrl = url
    const parsed = URL.parse(url)
    if (parsed === null) return
    const { username, password, searchParams } = parsed
    this.#add(username, '[secret]')
    this.#add(password, '[secret]')
    this.#addCredentials(
      `${decoded(() => decodeURIComponent(username))}:${decoded(() => decodeURIComponent(password))}`,
    )
    for (const [name, value] of searchParams) if (secretParameter.test(name)) this.#add(value, '[secret]')
  }

  /** The text without the secrets, as they are or encoded as headers, addresses and JSON have them. */
  redact(text: string): string {
    let clean = text
    const longestFirst = [...this.#replacements].toSorted(([a], [b]) => b.length - a.length)
    for (const [secret, instead] of longestFirst) clean = clean.replaceAll(secret, instead)
    for (const password of this.#passwords) clean = withoutWord(clean, password)
    return clean
  }

  #addCredentials(credentials: string): void {
    const [user = '', ...rest] = credentials.split(':')
    const password = rest.join(':')
    if (password === '') return
    this.#add(`${user}:${password}`, '[secret]')
    this.#add(password, '[secret]')
    if (password.length >= shortestPassword && password.length < shortestSecret) this.#passwords.add(password)
  }

  #add(secret: string | null | undefined, instead: string): void {
    const plain = secret?.trim() ?? ''
    if (plain.length < shortestSecret || plain === noKey || this.#replacements.has(plain)) return
    for (const form of formsOf(plain)) {
      if (!this.#replacements.has(form)) this.#replacements.set(form, instead)
    }
    for (const oldest of this.#replacements.keys()) {
      if (this.#replacements.size <= mostSecrets) break
      this.#lastUrl = '' // its secrets may be among those that are dropped
      this.#replacements.delete(oldest)
    }
  }
}

function formsOf(secret: string): readonly string[] {
  const base64 = btoa(String.fromCharCode(...new TextEncoder().encode(secret)))
  const bare = withoutEnd(base64, '=')
  return [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    JSON.stringify(secret).slice(1, -1),
    bare,
    bare.replaceAll('+', '-').replaceAll('/', '_'),
  ]
}

/** Empty where it cannot be decoded. */
function decoded(decode: () => string): string {
  try {
    return decode()
  } catch {
    return ''
  }
}

/** Replaces a whole word only: a short password may be a part of others. */
function withoutWord(text: string, word: string): string {
  const isPartOf = (neighbour: string | undefined): boolean => neighbour !== undefined && /\w/.test(neighbour)
  const pieces = text.split(word)
  return pieces
    .slice(1)
    .reduce(
      (clean, after, index) =>
        clean + (isPartOf(pieces[index]?.at(-1)) || isPartOf(after[0]) ? word : '[secret]') + after,
      pieces[0] ?? '',
    )
}
