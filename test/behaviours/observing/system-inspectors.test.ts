/** An inspector that an app adds to the actor system of a run: its errors are reported, and the run goes on. */
import { createTroupe, type Problem } from 'troupe'
import { expect, test } from 'vitest'
import { worker } from '../../support/agents/agents.ts'

test.each(['tables', 'xstate'] as const)('interpreted by %s', async (interpreter) => {
  const { agent } = worker('solo', ['Done.'])
  const problems: Problem[] = []
  const troupe = createTroupe({ agents: [agent], interpreter, onError: (problem) => problems.push(problem) })
  const run = await troupe.start(agent, 'Go')
  const seen: string[] = []
  const throwing = run.actor.system.inspect(() => {
    throw new Error('The inspector fails.')
  })
  run.actor.system.inspect({ next: ({ type }) => void seen.push(type) })
  expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  throwing.unsubscribe()
  expect(problems).toMatchObject([
    { where: 'observer', runId: run.id, error: { message: 'The inspector fails.' } },
  ])
  expect(seen).toContain('@xstate.event')
  await troupe.close()
})
