/** The two programs of a page for those who come from a peer: its own, and that of the peer. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

/** The folder of each peer among those of `bench/peers/packages`, and its page. */
export const pages: Readonly<Record<string, string>> = {
  langgraph: 'docs/migrate/from-langgraph.md',
  ai: 'docs/migrate/from-ai-sdk.md',
  'openai-agents': 'docs/migrate/from-openai-agents.md',
}

export interface SideBySide {
  /** With the model of the peer from `./model.mjs`. */
  readonly peer: string
  /** With a model of `openai`. */
  readonly troupe: string
}

/** Throws where a page does not begin with both. */
export function programsIn(page: string): SideBySide {
  const text = readFileSync(join(root, page), 'utf8')
  const [, troupe] = /^```ts\n([^]*?)^```$/m.exec(text) ?? []
  const [, peer] = /^The same program with [^]*?^```js\n([^]*?)^```$/m.exec(text) ?? []
  if (troupe === undefined || peer === undefined) throw new Error(`${page} has no two programs.`)
  return { peer, troupe }
}
