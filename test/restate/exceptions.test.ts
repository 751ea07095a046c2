/** On Restate too an exception is reported by the worker that it is thrown in, and listed in the result. */
import { createTool, type Problem } from 'troupe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { calls, lead, to, worker } from '../support/agents/agents.ts'
import { Desk } from './crashes/desk.ts'

let desk: Desk

beforeAll(async () => {
  desk = await Desk.open()
})

afterAll(() => desk[Symbol.asyncDispose]())

const boom = new Error('no paper')

/** A tool of a subagent, and a hook of the root agent, throw; the run completes. */
function office() {
  const note = createTool({
    id: 'note',
    description: 'Takes a note.',
    inputSchema: z.object({}),
    execute: () => {
      throw boom
    },
  })
  const helper = worker('helper', [calls({ name: 'note' }), 'Helped.'], { tools: { note } }).agent
  const onStepFinish = () => {
    throw boom
  }
  return lead('boss', [calls(to('helper', 'Help')), calls({ name: 'unknown' }), 'Done.'], {
    agents: { helper },
    onStepFinish,
  }).agent
}

test('the worker reports each exception once, and the result lists the errors of all workflows', async () => {
  const problems: Problem[] = []
  const agent = office()
  const troupe = await desk.troupe(agent, { onError: (problem) => problems.push(problem) })
  const run = await troupe.start(agent, 'Go')
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  const thrownBy = (name: string) => problems.filter(({ effect }) => effect?.name === name)
  expect(thrownBy('note')).toEqual([
    expect.objectContaining({
      where: 'effect',
      error: boom,
      runId: run.id,
      agent: 'helper',
      path: 'boss/delegation:1.1/helper/call:1.1',
    }),
  ])
  expect(problems).toHaveLength(1 + thrownBy('onStepFinish').length)
  expect(thrownBy('onStepFinish')).toHaveLength(3)

  // The errors are those of the same run in one process; here the end of a subagent brings all of its own.
  const alone = await office().generate('Go', { onError: () => undefined })
  const sorted = (errors: typeof result.errors) => errors.map((error) => JSON.stringify(error)).toSorted()
  expect(sorted(result.errors)).toEqual(sorted(alone.errors))
  expect((await troupe.replay(run.id)).result).toEqual(result)
  expect(JSON.stringify(await troupe.journal(run.id))).not.toContain('.ts:')
})
