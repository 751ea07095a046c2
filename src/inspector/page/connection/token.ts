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
    const others = new BroadcastChannel(name)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel is of one origin
    others.postMessage(given)
    others.close()
  }
  return sessionStorage.getItem(name) ?? undefined
}

/** Calls back with the token of an address that was opened in another tab: the server was started again. */
export function onNewToken(take: (token: string) => void): void {
  new BroadcastChannel(name).addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'string' || data === sessionStorage.getItem(name)) return
    sessionStorage.setItem(name, data)
    take(data)
  })
}

/** The address of a link, for a tab of its own. */
export function withToken(address: string): string {
  const token = sessionStorage.getItem(name)
  return token === null ? address : `${address}#t=${encodeURIComponent(token)}`
}
