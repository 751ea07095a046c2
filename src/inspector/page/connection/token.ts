/**
 * The token of the server. The address that the inspector prints has it in its fragment, which a browser sends to no
 * server; the tab keeps it, and the address bar loses it.
 */
const name = 'troupe.inspector.token'

/** The token of this tab; `undefined`: the page was opened by an address without one. */
export function takeToken(): string | undefined {
  const given = new URLSearchParams(location.hash.slice(1)).get('t')
  if (given !== null) {
    sessionStorage.setItem(name, given)
    history.replaceState(null, '', location.pathname + location.search)
  }
  return sessionStorage.getItem(name) ?? undefined
}

/** The address of a link, for a tab of its own. */
export function withToken(address: string): string {
  const token = sessionStorage.getItem(name)
  return token === null ? address : `${address}#t=${encodeURIComponent(token)}`
}
