import { createHash } from 'node:crypto'

/** The policy of the page: it loads and runs its own script, style and messages, and the inspector in its frame. */
export function pagePolicy(inspectorPage: URL): string {
  const html = pageHtml(inspectorPage)
  return [
    "default-src 'none'",
    `script-src ${hashIn(html, 'script')}`,
    `style-src ${hashIn(html, 'style')}`,
    "connect-src 'self'",
    `frame-src ${inspectorPage.origin}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

function hashIn(html: string, tag: 'script' | 'style'): string {
  const text = html.slice(html.indexOf(`<${tag}>`) + tag.length + 2, html.lastIndexOf(`</${tag}>`))
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

/** The page that we serve: it holds the inspector's own page, and passes the messages of the run on to it. */
export function pageHtml(inspectorPage: URL): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Troupe: inspector</title>
<style>html, body, iframe { height: 100%; width: 100%; margin: 0; border: 0; display: block }</style>
</head>
<body>
<iframe id="inspector" src="${inspectorPage.href.replaceAll('&', '&amp;')}"></iframe>
<script>
const inspector = document.getElementById('inspector')
const waiting = []
let isConnected = false
const pass = (message) => inspector.contentWindow.postMessage(message, ${JSON.stringify(inspectorPage.origin)})
addEventListener('message', ({ source, data }) => {
  if (source !== inspector.contentWindow || data?.type !== '@statelyai.connected') return
  isConnected = true
  for (const message of waiting.splice(0)) pass(message)
})
new EventSource('messages').onmessage = ({ data }) => {
  const message = JSON.parse(data)
  if (isConnected) pass(message)
  else waiting.push(message)
}
</script>
</body>
</html>
`
}
