/** Media types (RFC 9110, section 8.3.1), without parameters. */

const mediaType = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Whether the text is a media type. */
export function isMediaType(given: unknown): boolean {
  return typeof given === 'string' && mediaType.test(given) && !given.includes('*')
}

/** Whether a media type is one of a list, in which `image/*` stands for all images and `*` for any type. */
export function isAmong(given: string, accepted: readonly string[]): boolean {
  const type = given.toLowerCase()
  return accepted.some((entry) => {
    const wanted = entry.toLowerCase()
    return (
      wanted === '*' ||
      wanted === '*/*' ||
      wanted === type ||
      (wanted.endsWith('/*') && type.startsWith(wanted.slice(0, -1)))
    )
  })
}
