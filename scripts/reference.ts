/**
 * Brings the tables of docs/reference/options.md up to date with the source: the options, their order, their defaults, and
 * the patterns that take them. Each row describes its option; the row of a new one begins with its docstring.
 * With `--check` it writes nothing and fails when the page is not current.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, resolveConfig } from 'prettier'
import type { Field } from '../src/actors/strict/read-options.ts'
import { toolBackgroundFields, toolFields } from '../src/actors/create-tool.ts'
import {
  backgroundFields,
  budgetFields,
  compactionFields,
  contextEditingFields,
  completionFields,
  delegationFields,
  memoryFields,
  structuredOutputFields,
} from '../src/runtime/options/option-fields.ts'
import { optionsOf, optionTable } from '../src/runtime/options/option-table.ts'
import type { Pattern } from '../src/runtime/options/pattern.ts'
import { limitFields, tenantFields } from '../src/runtime/tenants/tenant-options.ts'
import { troupeFields } from '../src/runtime/troupe/troupe-options.ts'
import { definitionParts } from '../src/runtime/definition/validate-options.ts'
import { interfacesOf, type Property } from '../test/support/interfaces.ts'
import { tableAfter, type Row } from '../test/support/markdown.ts'

const root = join(import.meta.dirname, '..')
const path = join(root, 'docs/reference/options.md')

type Defaults = Readonly<Record<string, Field & { readonly default?: unknown }>>

/** Tables of the source, by the interface whose fields they are. What is in none has its default in its docstring. */
const tables: Readonly<Record<string, Defaults>> = {
  AgentOptions: optionTable,
  SupervisorOptions: optionTable,
  PatternCaps: optionTable,
  RouterOptions: optionTable,
  PlannerOptions: optionTable,
  FanOutOptions: optionTable,
  RouteOptions: optionTable,
  CompactionOptions: compactionFields,
  ContextEditingOptions: contextEditingFields,
  DelegationOptions: delegationFields,
  CompletionOptions: completionFields,
  BackgroundTask: backgroundFields,
  StructuredOutput: structuredOutputFields,
  MemoryOptions: memoryFields,
  BudgetOptions: budgetFields,
  ToolConfig: toolFields,
  ToolBackground: toolBackgroundFields,
  TroupeConfig: troupeFields,
  TenantOptions: tenantFields,
  TenantLimit: limitFields,
}

/** The patterns that have a row of their own, by the function that makes them. */
const patterns: Readonly<Record<string, Pattern>> = {
  createRouter: 'router',
  createDispatcher: 'dispatch',
  createPlanner: 'plan-then-execute',
  createFanOut: 'fan-out',
  createMetaRouter: 'meta-router',
  createReflexion: 'reflexion',
  createDebate: 'debate',
}

const page = readFileSync(path, 'utf8')
const current = await format(withPatterns(withTables(page)), {
  ...(await resolveConfig(path)),
  parser: 'markdown',
})
if (page === current) {
  console.log('docs/reference/options.md is current.')
} else if (process.argv.includes('--check')) {
  console.error('docs/reference/options.md is not current. Run "npm run reference".')
  process.exitCode = 1
} else {
  writeFileSync(path, current)
  console.log('Wrote docs/reference/options.md.')
}

function withTables(text: string): string {
  return text.replaceAll(
    /(<!-- interface (\w+): (\S+) -->\n\n)(\|[^\n]*\n\|[^\n]*\n)((?:\|[^\n]*\n)*)/g,
    (whole, mark: string, name: string, file: string, head: string) => {
      if (!head.includes('default')) return whole
      const properties = interfacesOf(join(root, file))[name]
      if (properties === undefined) throw new Error(`${file} has no interface "${name}".`)
      const told = new Map(tableAfter(text, mark.trim()).map((row) => [row[0], row] as const))
      const rows = properties.map((property) => rowOf(name, property, told.get(`\`${property.name}\``)))
      return `${mark}${head}${rows.join('')}`
    },
  )
}

function rowOf(of: string, property: Property, told: Row | undefined): string {
  const [description, inDoc] = splitDoc(property.doc)
  const value = tables[of]?.[property.name]?.default
  const inTable = value === undefined ? undefined : shown(value)
  const isSame = inTable === undefined || inDoc === undefined || plain(inDoc).startsWith(plain(inTable))
  if (!isSame)
    throw new Error(`${of}.${property.name}: its docstring says "${inDoc}", and its table "${inTable}".`)
  const known = told?.[1]
  const kept = known !== undefined && inDoc?.startsWith(known) === true ? known : inDoc
  const cell = property.isOptional ? (kept ?? inTable ?? 'none') : 'required'
  return `| \`${property.name}\` | ${cell} | ${told?.at(-1) ?? description} |\n`
}

/** What it does, and what a docstring says of the default. */
function splitDoc(doc: string): readonly [string, string | undefined] {
  const [sentence, told] = /\bdefault:? (?:is )?(.*?)(?:\.(?:\s|$)|$)/i.exec(doc) ?? []
  return [sentence === undefined ? doc : doc.replace(sentence, '').trim(), told]
}

function plain(text: string): string {
  return text.replaceAll(/[`' ]/g, '')
}

/** As the page shows a default: `30 000`, `'first'`, `['*']`. */
function shown(value: unknown): string {
  if (typeof value === 'number') return String(value).replaceAll(/\B(?=(\d{3})+(?!\d))/g, ' ')
  return `\`${JSON.stringify(value).replaceAll('"', "'")}\``
}

function withPatterns(text: string): string {
  const common = Object.keys(optionsOf.react)
  const rows = Object.entries(patterns).map(([name, pattern]) => {
    const taken = Object.keys(optionsOf[pattern])
    const handoffs = Object.keys(definitionParts[pattern]).filter((part) => /handoff/i.test(part))
    const beside = [...taken.filter((option) => !common.includes(option)), ...handoffs]
    const refused = common.filter((option) => !taken.includes(option))
    return `| \`${name}\` | ${listed(beside)} | ${listed(refused)} |\n`
  })
  return text.replace(
    /(\| made by[^\n]*\n\|[^\n]*\n)((?:\|[^\n]*\n)*)/,
    (_, head: string) => `${head}${rows.join('')}`,
  )
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}
