/** `troupe record`: writes a run of a store as a story. */
import { readFileSync, writeFileSync } from 'node:fs'
import { createTroupe } from 'troupe'
import { sqliteStore } from 'troupe/sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../src/inspector/cli/run-command.ts'
import { readStory } from '../../../src/inspector/embed/story-file.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { greeter } from '../browser/support/office.ts'

async function troupe(...args: readonly string[]) {
  const [printed, errors]: [string[], string[]] = [[], []]
  const code = await runCommand(args, {
    print: (text) => void printed.push(text),
    printError: (text) => void errors.push(text),
    interrupted: () => Promise.reject(new Error('It does not wait.')),
  })
  return { code, printed: printed.join(''), errors: errors.join('') }
}

describe('troupe record', () => {
  const folder = temporaryFolder()
  const file = folder.file('runs.db')
  let runId: string

  afterAll(() => folder[Symbol.dispose]())

  beforeAll(async () => {
    const store = sqliteStore(file)
    const agent = greeter('Hello, Ann of Bergen.')
    const service = createTroupe({ agents: [agent], store })
    const run = await service.start(agent, 'Greet Ann.')
    await run.result
    runId = run.id
    await service.close()
  })

  test('writes a story, without the agents of the run', async () => {
    const output = folder.file('run.story')
    const { code, printed, errors } = await troupe('record', file, runId, '--output', output)
    expect({ code, printed, errors }).toEqual({ code: 0, printed: `${output}: 3 entries\n`, errors: '' })
    const { head, lines } = readStory(readFileSync(output, 'utf8'))
    expect(head).toMatchObject({ run: { runId, agent: 'greeter', outcome: 'completed' } })
    expect(head.untold).toBeUndefined()
    expect(lines.some(({ row }) => row.transitions.length > 0)).toBe(true)
  })

  test('prints it, with what a function of the user has left of it', async () => {
    const module = folder.file('sanitize.mjs')
    writeFileSync(
      module,
      `export const sanitize = (part) => JSON.parse(JSON.stringify(part).replaceAll('Ann', '…'))`,
    )
    const { code, printed } = await troupe('record', file, runId, '--sanitize', module, '--output', '-')
    expect(code).toBe(0)
    expect(printed).not.toContain('Ann')
    expect(readStory(printed).lines[0]?.detail?.entry).toMatchObject({ task: 'Greet ….' })
  })

  test.each([
    [['record'], 'name a store and a run'],
    [['record', 'runs.db'], 'name a store and a run'],
    [['record', 'runs.db', 'a', 'b'], 'name a store and a run'],
    [['record', 'nowhere.db', 'a'], 'record: "nowhere.db" cannot be read'],
    [['record', 'runs.db', 'a', '--loud'], 'record: there is no option "loud"'],
  ])('refuses %j', async (args, reason) => {
    const { code, errors, printed } = await troupe(...args)
    expect({ code, printed }).toEqual({ code: 1, printed: '' })
    expect(errors).toContain(reason)
  })

  test('refuses a run that there is not, a place that cannot be written, and a module without the function', async () => {
    const gone = await troupe('record', file, 'gone')
    const unwritten = await troupe('record', file, runId, '--output', folder.file('no/such/place'))
    const module = folder.file('empty.mjs')
    writeFileSync(module, 'export const other = 1')
    const unsuited = await troupe('record', file, runId, '--sanitize', module)
    expect([gone, unwritten, unsuited].map(({ code }) => code)).toEqual([1, 1, 1])
    expect(gone.errors).toContain('gone')
    expect(unwritten.errors).toContain('cannot be written')
    expect(unsuited.errors).toContain('exports no function "sanitize"')
  })

  test('tells of itself in the help', async () => {
    const { printed } = await troupe('--help')
    expect(printed).toContain('troupe record <source> <run>')
    expect((await troupe('record', '--help')).printed).toBe(printed)
  })
})
