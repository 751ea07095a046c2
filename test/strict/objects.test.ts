/** Objects from outside are read strictly: an unknown key, a misspelt one, and a wrong value of each field. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigurationError, openai } from 'troupe'
import { afterEach, describe, expect, test } from 'vitest'
import { model, objects, troupe, type OutsideObject } from './objects.ts'

/** What it says of what it is given, as `ConfigurationError`; nothing when it took it. */
async function complaintOf({ give }: OutsideObject, more: object): Promise<string | undefined> {
  try {
    await give(more)
    return undefined
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
}

async function fieldsOf(object: OutsideObject): Promise<readonly string[]> {
  const [, known = ''] = / Known: (.*)\.$/.exec((await complaintOf(object, { xqzw: 1 })) ?? '') ?? []
  return known.split(', ')
}

afterEach(async () => {
  expect((await troupe.runs()).items).toEqual([])
  expect(await troupe.memory.threads()).toEqual([])
})

describe.for(objects.map((object) => [object.name, object] as const))('%s', ([name, object]) => {
  test('an unknown key is refused, with those that are known', async () => {
    const complaint = await complaintOf(object, { xqzw: 1 })
    expect(complaint).toContain(name)
    expect(complaint).toMatch(/there is no (option|field) "xqzw"\. Known: \w+/)
  })

  test('a misspelt key names the nearest', async () => {
    for (const field of await fieldsOf(object)) {
      if (field.length < 4) continue
      const misspelt = `${field.slice(0, 2)}${field.slice(3)}`
      const complaint = await complaintOf(object, { [misspelt]: 1 })
      expect(complaint).toContain(`"${misspelt}"; did you mean "${field}"? Known: `)
    }
  })

  test('the case of letters counts, a symbol is a key, and __proto__ is none', async () => {
    for (const field of await fieldsOf(object)) {
      const shouted = field.toUpperCase()
      if (shouted === field) continue
      expect(await complaintOf(object, { [shouted]: 1 })).toContain(`did you mean "${field}"?`)
    }
    const own = JSON.parse('{ "__proto__": { "maxSteps": 1 } }') as object
    expect(await complaintOf(object, own)).toContain('there is no')
    if (object.isJson === true) return
    expect(await complaintOf(object, { [Symbol('odd')]: 1 })).toContain('Symbol(odd)')
  })

  test('a wrong value of each field says what was given, where, and what was expected', async () => {
    const { free = [], isJson = false } = object
    const wrong = isJson ? [[{}]] : Symbol('wrong')
    for (const field of await fieldsOf(object)) {
      if (free.includes(field)) continue
      const complaint = await complaintOf(object, { [field]: wrong })
      expect(complaint).toContain(field)
      expect(complaint).toMatch(/must|expected|Expected/)
    }
  })
})

test('nothing was asked of a model', () => {
  expect(model.calls).toEqual([])
})

test('a misspelt baseUrl sends nothing anywhere, and no key stands in the error', async () => {
  const options: object = { baseUrl: 'http://127.0.0.1:1', apiKey: 'sk-0123456789abcdef' }
  expect(() => openai('llama', options)).toThrow(ConfigurationError)
  expect(() => openai('llama', options)).toThrow('there is no option "baseUrl"; did you mean "baseURL"?')
  expect(() => openai('llama', { apiKey: ['sk-0123456789abcdef'] as never })).toThrow(
    'apiKey must be a text.',
  )
  expect(() => openai('llama', { baseURL: 'ftp://me:hush@host' })).toThrow(
    'baseURL must be an http or https URL.',
  )
})

/**
 * What users are handed, what stores are handed, functions, `abort`, whose options stand with the answers, and `start` of a tool, whose options are tested
 * with nested runs.
 */
const handedOut = new Set([
  'CensusOptions',
  'ModelCallOptions',
  'McpCallOptions',
  'AwaitedSignal',
  'QueuedSignal',
  'HandoffFilter',
  'SignalFilter',
  'AbortOptions',
  'NestedRunOptions',
  'SuspendOptions',
  'ToolSignal',
])

test('every exported type that users fill in stands in the table', () => {
  const src = join(import.meta.dirname, '../../src')
  const entries = ['.', ...readdirSync(src)]
    .map((name) => join(src, name, 'index.ts'))
    .filter((file) => existsSync(file))
  const exported = entries.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, names = '']) =>
      names.split(',').map((name) => name.trim().replace(/^type /, '')),
    ),
  )
  const filledIn = exported.filter(
    (name) =>
      /^[A-Z]\w*(Options|Settings|Config|Task|Processor|Filter|Patch|Overrides|Selector|Signals?)$/.test(
        name,
      ) && !handedOut.has(name),
  )
  expect(filledIn.length).toBeGreaterThan(40)
  const known = new Set(objects.flatMap(({ types }) => types))
  expect(filledIn.filter((name) => !known.has(name))).toEqual([])
})
