/** Whether a text is an address of the web: `https:` or `http:`. One of another protocol may run code where it is shown. */
export function isWebUrl(given: unknown): given is string {
  return typeof given === 'string' && URL.canParse(given) && /^https?:$/.test(new URL(given).protocol)
}
