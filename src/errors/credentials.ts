/** Credentials in a text, known by their form, and the text without them. */

// Credentials are known by their form. A place is found by its head and read on from there: each search is linear, and no
// character is read more than a few times, whatever the text holds.

/** A part of a text, from its first character to the one after its last. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** A form of credentials. */
export interface CredentialForm {
  /** What stands before one; a global expression. */
  readonly head: RegExp
  /** The credential after a head; `undefined`: there is none. */
  readonly find: (text: string, head: RegExpExecArray) => Span | undefined
  /** Default: `[secret]`. */
  readonly instead?: string
}

const hidden = '[secret]'

/** The text without the credentials of these forms; text that is redacted already stays as it is. */
export function withoutForms(text: string, forms: readonly CredentialForm[]): string {
  return forms.reduce(withoutForm, text)
}

function withoutForm(text: string, { head, find, instead = hidden }: CredentialForm): string {
  const pieces: string[] = []
  let at = 0
  for (const match of text.matchAll(head)) {
    if (match.index < at) continue
    const span = find(text, match)
    if (span === undefined) continue
    pieces.push(text.slice(at, span.from), instead)
    at = span.to
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(at)
}

/** Where a match of a sticky expression that begins at `from` ends; `undefined`: it does not match there. */
export function endOf(sticky: RegExp, text: string, from: number): number | undefined {
  sticky.lastIndex = from
  return sticky.test(text) ? sticky.lastIndex : undefined
}

/** The position behind a head. */
export function behind({ index, 0: head }: RegExpExecArray): number {
  return index + head.length
}

/** What a sticky expression matches at `from`. */
function spanAt(sticky: RegExp, text: string, from: number): Span | undefined {
  const to = endOf(sticky, text, from)
  return to === undefined ? undefined : { from, to }
}

/** The value of a parameter of an address, where its name is one of a secret. */
export function parameterOf(isSecret: (name: string) => boolean): CredentialForm {
  return {
    head: /[?&]([\w-]+)=/g,
    find: (text, head) => (isSecret(head[1] ?? '') ? spanAt(/[^\s&#"'<>]+/y, text, behind(head)) : undefined),
  }
}

/** `Bearer …` and `Basic …`, where the value has at least as many characters. */
export function schemeWith(fewest: number): CredentialForm {
  return {
    head: /\b(?:bearer|basic)(?=\s)/gi,
    find: (text, head) => {
      const from = endOf(/\s+/y, text, behind(head)) ?? behind(head)
      const to = endOf(/[\w.~+/=-]+/y, text, from)
      return to === undefined || to - from < fewest ? undefined : { from, to }
    },
  }
}

/** A value that begins with a token, such as `authorization: Bearer …`; also in JSON or in code. */
const header: CredentialForm = {
  head: /\b(?:authorization|api-key)/gi,
  find: (text, head) => {
    const from = endOf(/\\?["']?\s*[:=]\s*\\?["']?/y, text, behind(head))
    if (from === undefined) return undefined
    const afterScheme = endOf(/(?:bearer|basic)\s+/iy, text, from) ?? from
    const to = endOf(/[^\s"',;}\\]+/y, text, afterScheme) ?? endOf(/[^\s"',;}\\]+/y, text, from)
    return to === undefined ? undefined : { from, to }
  },
}

/** `user:password@` of an address. */
const userInfo: CredentialForm = {
  head: /:\/\//g,
  find: (text, head) => {
    const to = endOf(/[^\s/?#@"'<>]+@/y, text, behind(head))
    return to === undefined ? undefined : { from: behind(head), to: to - 1 }
  },
}

const parameter = parameterOf((name) =>
  /(?:api[_-]?key|token|secret|password|signature)$|^(?:key|sig)$/i.test(name),
)

const credentials: readonly CredentialForm[] = [userInfo, parameter, header, schemeWith(16)]

/** The text without credentials that any error may show: of an address, of a header, and of a parameter. */
export function withoutCredentials(text: string): string {
  return withoutForms(text, credentials)
}
