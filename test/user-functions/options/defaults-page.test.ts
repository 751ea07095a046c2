/** docs/reference/defaults.md has the defaults of the code, and the versions of the peers that the bench installs. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { pages, programsIn } from '../../../bench/migrations/pages.ts'
import { optionTable } from '../../../src/runtime/options/option-table.ts'
import { tableAfter } from '../../support/markdown.ts'

const root = join(import.meta.dirname, '../../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const page = read('docs/reference/defaults.md')

test.each(tableAfter(page, '## The others').map(([name = '', here = '']) => [name, here] as const))(
  '%s is %s in the code',
  (name, here) => {
    const [, option] = Object.entries<object>(optionTable).find(([known]) => `\`${known}\`` === name) ?? []
    const inCode: unknown = Reflect.get(option ?? expect.fail(`no option ${name}`), 'default')
    expect(here.replaceAll(/[`' ]/g, '')).toBe(JSON.stringify(inCode ?? 'none').replaceAll('"', ''))
  },
)

test.each([
  ['AI SDK', 'ai', 'ai', 1],
  ['Mastra', 'mastra', '@mastra/core', 1],
  ['OpenAI Agents', 'openai-agents', '@openai/agents', 2],
  ['LangGraph', 'langgraph', '@langchain/langgraph', 1],
  ['ADK', 'adk', '@google/adk', 1],
])('the page names the version of %s that the bench installs', (label, folder, name, parts) => {
  const { dependencies } = JSON.parse(read(`bench/peers/packages/${folder}/package.json`)) as {
    readonly dependencies: Readonly<Record<string, string>>
  }
  const version = (dependencies[name] ?? '').split('.').slice(0, parts).join('.')
  expect(tableAfter(page, '## Model calls of one agent').map(([cell]) => cell)).toContain(
    `${label} ${version}`,
  )
})

test.each(Object.values(pages))('%s has the same program twice', (file) => {
  const { peer, troupe } = programsIn(file)
  const texts = (program: string): readonly string[] =>
    [...program.matchAll(/'([A-Z][^']+[.?n])'/g)].map(([, text = '']) => text)
  expect(texts(troupe).length).toBeGreaterThan(2)
  expect(new Set(texts(peer))).toEqual(new Set(texts(troupe)))
})
