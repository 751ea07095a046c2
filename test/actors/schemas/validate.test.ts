import { createAgent, createTool, TerminalError, type Schema } from 'troupe'
import { scriptedModel } from 'troupe/testing'
import { expect, test } from 'vitest'
import { validate } from '../../../src/actors/schemas/validate.ts'

/** A Standard Schema whose `validate` answers with anything. */
function answering(answer: unknown): Schema {
  const standard = {
    version: 1,
    vendor: 'custom',
    validate: () => answer,
    jsonSchema: { input: () => ({ type: 'object' }) },
  }
  return { '~standard': standard } as unknown as Schema
}

test.each([
  ['undefined', undefined],
  ['null', null],
  ['a boolean', true],
  ['an empty object', {}],
  ['issues that are no list', { issues: 'bad' }],
  ['a promise of an empty object', Promise.resolve({})],
])('%s in place of a result is a failure of the schema, with a code', async (_name, answer) => {
  const checked = await validate(answering(answer), 1)
  expect(checked).toMatchObject({
    ok: false,
    problem: expect.stringContaining('"custom" schema answered with neither a value nor issues'),
    failure: { thrown: expect.any(TerminalError) },
  })
  expect(checked).toHaveProperty('failure.thrown.code', 'INVALID_SCHEMA_RESULT')
})

test.each([
  ['a value that is undefined', { value: undefined }, { ok: true, value: undefined }],
  ['no issues beside a value', { value: 1, issues: undefined }, { ok: true, value: 1 }],
  ['an empty list of issues', { issues: [] }, { ok: false, problem: 'the value does not fit' }],
  ['an issue without a path', { issues: [{ message: 'Bad.' }] }, { ok: false, problem: 'Bad.' }],
  [
    'issues with paths',
    { issues: [{ message: 'Bad.', path: ['a', { key: 'b' }, 0] }, { message: 'Worse.' }] },
    { ok: false, problem: 'a.b.0: Bad.; Worse.' },
  ],
])('%s is a result', (_name, answer, validation) => {
  expect(validate(answering(answer), 1)).toMatchObject(validation)
})

test('the promise of another library counts as one', async () => {
  class Later {
    // oxlint-disable-next-line unicorn/no-thenable -- the promise of a library is one
    then(resolve: (result: object) => void): void {
      resolve({ value: 2 })
    }
  }
  expect(await validate(answering(new Later()), 1)).toEqual({ ok: true, value: 2 })
})

test('a tool whose schema answers with nothing is not run; the call fails as SCHEMA_FAILED', async () => {
  let runs = 0
  const save = createTool({
    id: 'save',
    description: 'Saves.',
    inputSchema: answering(undefined),
    execute: () => ++runs,
  })
  const model = scriptedModel([{ toolCalls: [{ name: 'save', args: {} }] }, 'Done.'])
  const agent = createAgent({ id: 'agent', instructions: '', model, tools: { save } })
  const result = await agent.generate('Go')
  expect(runs).toBe(0)
  expect(result.steps[0]?.toolResults[0]).toMatchObject({
    outcome: 'failed',
    error: { code: 'SCHEMA_FAILED', cause: { code: 'INVALID_SCHEMA_RESULT' } },
  })
})
