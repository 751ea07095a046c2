/** A server of a page with `<troupe-run>`, of its script and of stories: all that the element needs, under a strict policy. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensurePage, folder } from '../../../../scripts/page/build-page.ts'

/** No style and no script in the text of the page, and nothing from elsewhere. */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'"

export class StoryPages implements AsyncDisposable {
  readonly #server: Server
  readonly origin: string

  private constructor(server: Server) {
    this.#server = server
    this.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** `files`: texts by their paths; those of pages end with `.html`. */
  static async serve(files: Readonly<Record<string, string>>): Promise<StoryPages> {
    await ensurePage()
    const all: Readonly<Record<string, string>> = {
      '/troupe-run.js': readFileSync(join(folder, 'troupe-run.js'), 'utf8'),
      '/page.css':
        'body { margin: 8px; font: 30px serif } button, h2, .panel { color: rgb(255, 0, 0); font-size: 44px }',
      ...files,
    }
    const server = createServer((request, response) => {
      const path = request.url ?? ''
      const text = all[path]
      const type = path.endsWith('.html')
        ? 'text/html'
        : path.endsWith('.js')
          ? 'text/javascript'
          : path.endsWith('.css')
            ? 'text/css'
            : 'text/plain'
      response.writeHead(text === undefined ? 404 : 200, {
        'content-type': `${type}; charset=utf-8`,
        ...(type === 'text/html' ? { 'content-security-policy': policy } : {}),
      })
      response.end(text)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new StoryPages(server)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** A page with these elements, a heading of its own, and a style sheet that must not come into them. */
export function pageWith(elements: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/page.css"><script type="module" src="/troupe-run.js"></script></head>
<body><main><h1>A page</h1><button type="button">Of the page</button>${elements}</main></body></html>`
}
