/** BEHAVIOUR 59: the trail of delegations that a hook modifies, rejects and bails: which guard decided, and what it led to. */
import { createTroupe, type TrailEntry } from 'troupe'
import { expect, test } from 'vitest'
import { calls, lead, to, worker } from '../../support/agents/agents.ts'

function isOfDelegation({ path }: { readonly path: string }): boolean {
  return /^guide\/delegation:[^/]+(?:\/hook:\w+)?$/.test(path)
}

/** One line for the entry, and one for each thing that it led to in the delegations of the supervisor. */
function linesOf({ entry, type, key, ...led }: TrailEntry): readonly string[] {
  return [
    `${entry} ${type}${key === undefined ? '' : ` ${key}`}`,
    ...led.transitions
      .filter(({ machine }) => machine === 'delegation')
      .map(
        ({ path, from, to: after, event, guard, description }) =>
          `  ${path}: ${from} → ${after}` +
          ` | ${event ?? 'always'}${guard === undefined ? '' : ` [${guard}]`}` +
          (description === undefined ? '' : ` | ${description}`),
      ),
    ...led.events.filter(isOfDelegation).map(({ type: told, path }) => `  ${told} of ${path}`),
    ...led.actorsAdded
      .filter(isOfDelegation)
      .map(({ path, machine, effect }) => `  + ${path} ${machine ?? effect}`),
    ...led.actorsEnded.filter(isOfDelegation).map(({ path, status }) => `  - ${path} ${status}`),
  ]
}

test('a modified, a rejected and a bailed delegation', async () => {
  const scout = worker('scout', ['Two places.'])
  const clerk = worker('clerk', [])
  const judge = worker('judge', ['The harbour.'])
  const { agent } = lead(
    'guide',
    [calls(to('scout', 'Find places'), to('clerk', 'Book them all')), calls(to('judge', 'Choose'))],
    {
      agents: { scout: scout.agent, clerk: clerk.agent, judge: judge.agent },
      delegation: {
        onDelegationStart({ agentId }) {
          if (agentId === 'clerk') return { proceed: false, rejectionReason: 'Nothing is chosen.' }
          return agentId === 'scout' ? { modifiedPrompt: 'Find two places' } : undefined
        },
        onDelegationComplete({ agentId, bail }) {
          if (agentId === 'judge') bail()
        },
      },
    },
  )
  const troupe = createTroupe({ agents: [agent] })
  const run = await troupe.start(agent, 'A day in Oslo')
  expect(await run.result).toMatchObject({ outcome: 'bailed', by: 'judge', text: 'The harbour.' })
  const { entries } = await troupe.trail(run.id)
  await expect(entries.flatMap(linesOf).join('\n') + '\n').toMatchFileSnapshot('goldens/delegation.txt')

  const taken = entries.flatMap(({ transitions }) => transitions)
  const rejected = taken.find(({ to: after, machine }) => machine === 'delegation' && after === 'rejected')
  expect(rejected).toMatchObject({ path: 'guide/delegation:1.2', guard: 'isRejected' })
  await troupe.close()
})
