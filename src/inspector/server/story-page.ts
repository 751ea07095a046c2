/** Serves a story file: a page with the element that plays it, on this machine alone. */
import { TroupeError } from '../../index.ts'
import { randomToken } from '../../kit/host.ts'
import { headersOf, statusOf, notFound, wrongMethod } from '../../kit/wire/index.ts'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assertOwn, host, safeHeaders } from './guard.ts'
import { builtFile } from './page-files.ts'

export interface StoryPage {
  /** The address of the page, with a random token in its path. */
  readonly url: string
  stop(): Promise<void>
}

const html = 'text/html; charset=utf-8'

/** Rejects with a `TroupeError` of the code `INSPECTOR_FAILED` where the port is taken. */
export async function storyPage(story: string, port: number): Promise<StoryPage> {
  const token = randomToken()
  const server = createServer((request, response) => {
    void write(response, answerOf(request, token, story))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `The story cannot be served on port ${port}: ${cause.message}`
      reject(new TroupeError('INSPECTOR_FAILED', message, { cause }))
    })
    server.listen(port, host, resolve)
  })
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/${token}/`,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

async function write(response: ServerResponse, answer: Promise<Served>): Promise<void> {
  try {
    const { body, type } = await answer
    response.writeHead(200, { ...safeHeaders, 'content-type': type })
    response.end(body)
  } catch (error) {
    response.writeHead(statusOf(error), { ...safeHeaders, ...headersOf(error) })
    response.end()
  }
}

interface Served {
  readonly body: string | Uint8Array
  readonly type: string
}

async function answerOf(request: IncomingMessage, token: string, story: string): Promise<Served> {
  assertOwn(request)
  if (request.method !== 'GET') throw wrongMethod(['GET'])
  switch (request.url) {
    case `/${token}/`:
      return { body: page, type: html }
    case `/${token}/story.css`:
      return { body: style, type: 'text/css; charset=utf-8' }
    case `/${token}/run.story`:
      return { body: story, type: 'application/x-ndjson; charset=utf-8' }
    case `/${token}/troupe-run.js`:
      return { body: await builtFile('troupe-run.js'), type: 'text/javascript; charset=utf-8' }
    default:
      throw notFound('that')
  }
}

const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>A story</title>
<link rel="stylesheet" href="story.css">
<script type="module" src="troupe-run.js"></script>
<main><h1>A story</h1><troupe-run src="run.story"></troupe-run></main>
</html>
`

const style = `:root { color-scheme: light dark }
body { margin: 0 }
main { display: flex; flex-direction: column; height: 100vh }
h1 { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
troupe-run { display: block; flex: 1; min-height: 0; height: auto }
`
