/**
 * Holds the pages to sentences that are read once: `npm run prose`. A page may have as many faults as `docs/prose.json` allows
 * it, and a new page has none. `-- --lower` lowers the budgets to what is there; they never rise. `-- <page>` lists the
 * faults of a page.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format } from 'prettier'
import { tableAfter } from '../../test/support/markdown.ts'
import { faultsOf, foreignWords, kinds, type Faults } from './faults.ts'

type Budget = Readonly<Partial<Record<(typeof kinds)[number], number>>>

const root = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const path = 'docs/prose.json'
const { exceptions, budgets } = JSON.parse(read(path)) as {
  /** The beginnings of sentences that are long for a reason, by page. */
  readonly exceptions: Readonly<Record<string, readonly string[]>>
  readonly budgets: Readonly<Record<string, Budget>>
}
const foreign = foreignWords(tableAfter(read('docs/guide/glossary.md'), '# Glossary'))
const pages = [
  'README.md',
  'SECURITY.md',
  ...globSync(
    [
      'docs/*.md',
      'docs/{guide,patterns,run,test,learn,concepts,why,migrate}/*.md',
      'docs/reference/stability.md',
    ],
    {
      cwd: root,
    },
  ),
].toSorted()

const faults = new Map(
  pages.map((page) => [
    page,
    // Pages for those who come from elsewhere say the words of others.
    faultsOf(
      read(page),
      page.startsWith('docs/migrate/') || page.endsWith('glossary.md') ? [] : foreign,
      exceptions[page] ?? [],
    ),
  ]),
)
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
for (const page of named) show(page, faults.get(page))

if (process.argv.includes('--lower')) {
  const lowered = Object.fromEntries(
    [...faults].flatMap(([page, found]) => {
      const budget = Object.fromEntries(
        kinds.flatMap((kind) => {
          const now = Math.min(numberOf(found, kind), budgets[page]?.[kind] ?? 0)
          return now === 0 ? [] : [[kind, now]]
        }),
      )
      return Object.keys(budget).length === 0 ? [] : [[page, budget]]
    }),
  )
  const text = JSON.stringify({ exceptions, budgets: lowered })
  writeFileSync(join(root, path), await format(text, { parser: 'json', printWidth: 110 }))
  console.log(`Lowered the budgets of ${path}.`)
} else if (named.length === 0) {
  const over = [...faults].flatMap(([page, found]) =>
    kinds
      .filter((kind) => numberOf(found, kind) > (budgets[page]?.[kind] ?? 0))
      .map((kind) => `${page}: ${kind} ${numberOf(found, kind)}, of ${budgets[page]?.[kind] ?? 0}`),
  )
  if (over.length > 0) {
    console.error(
      [
        'These pages have more faults than docs/prose.json allows. "npm run prose -- <page>" lists them.',
        ...over,
      ].join('\n- '),
    )
    process.exitCode = 1
  } else console.log(`${pages.length} pages keep to their budgets.`)
}

function numberOf(found: Faults, kind: (typeof kinds)[number]): number {
  const value = found[kind]
  return typeof value === 'number' ? value : value.length
}

function show(page: string, found: Faults | undefined): void {
  if (found === undefined) throw new Error(`${page} is no page of prose.`)
  for (const { line, text, words } of found.long) console.log(`${page}:${line} ${words} words: ${text}`)
  for (const { line, text } of found.chains) console.log(`${page}:${line} chain: ${text}`)
  for (const { line, text } of found.foreign) console.log(`${page}:${line} not in the glossary: ${text}`)
  if (found.vague > 0) console.log(`${page}: ${found.vague} too many of "one", "that" and "so"`)
}
