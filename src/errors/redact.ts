/** Redacts credentials that any error may show, known by their form: of an address, of a header, and of a parameter. */

const patterns: readonly (readonly [pattern: RegExp, instead: string])[] = [
  // user:password@ of an address
  [/\b([a-z][a-z0-9+.-]*:\/\/)[^\s/?#@"'<>]+@/gi, '$1[secret]@'],
  // ?api_key=… of an address
  [/([?&](?:[\w-]*(?:api[_-]?key|token|secret|password|signature)|key|sig)=)[^\s&#"'<>]+/gi, '$1[secret]'],
  // authorization: Bearer …, also in JSON or in code
  [
    /\b((?:proxy-)?authorization|(?:x-|x-goog-)?api-key)(\\?["']?\s*[:=]\s*\\?["']?)(?:(bearer|basic)\s+)?[^\s"',;}\\]+/gi,
    '$1$2[secret]',
  ],
  [/\b(bearer|basic)\s+(?!\[)[\w.~+/-]{16,}=*/gi, '$1 [secret]'],
]

/** Replaces credentials in a text with `[secret]`; text that is redacted already stays as it is. */
export function withoutCredentials(text: string): string {
  return patterns.reduce((clean, [pattern, instead]) => clean.replace(pattern, instead), text)
}
