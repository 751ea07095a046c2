/**
 * What the charts ask for, written down in `requests/`: by these keys and digests the journals of earlier runs are
 * replayed. A difference here means that those would not: mend it, or raise `protocolVersion` and write them anew.
 */
import { createScorer, createTroupe, memoryStore } from 'troupe'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { patterns, patternTree, type Pattern } from '../../support/agents/pattern-tree.ts'

const scorers = [createScorer({ id: 'once', score: ({ iteration }) => (iteration > 1 ? 1 : 0) })]
const keep = { id: 'keep', processInput: () => undefined, processOutput: () => undefined }

/** Options that lead to a request of their own. */
const options = {
  inputProcessors: [{ id: keep.id, processInput: keep.processInput }],
  outputProcessors: [{ id: keep.id, processOutput: keep.processOutput }],
  onStepFinish: () => undefined,
  onFinish: () => undefined,
  onIterationComplete: () => undefined,
  stopWhen: () => false,
  completion: { scorers },
  delegation: {
    timeout: 60_000,
    onDelegationStart: () => undefined,
    onDelegationComplete: () => undefined,
    messageFilter: () => [],
  },
  memory: true,
  toolGroups: ['default'],
  reviewSteps: true,
}

const notOf: Readonly<Record<Pattern, readonly (keyof typeof options)[]>> = {
  react: ['onIterationComplete', 'completion', 'delegation', 'reviewSteps'],
  reflexion: ['onIterationComplete', 'completion', 'delegation', 'reviewSteps'],
  supervisor: ['reviewSteps'],
  router: ['reviewSteps'],
  'plan-then-execute': ['onIterationComplete', 'completion', 'stopWhen'],
  'fan-out': ['onIterationComplete', 'completion', 'reviewSteps'],
  'meta-router': [
    'outputProcessors',
    'onStepFinish',
    'onIterationComplete',
    'stopWhen',
    'completion',
    'reviewSteps',
  ],
  debate: ['onIterationComplete', 'completion', 'reviewSteps'],
  dispatch: ['outputProcessors', 'onIterationComplete', 'stopWhen', 'completion', 'reviewSteps'],
}

const writesNothing: readonly Pattern[] = ['meta-router', 'dispatch']

/** By name: options of a run, for patterns that take them. */
function runsOf(pattern: Pattern): Readonly<Record<string, object>> {
  const names = Object.keys(options) as (keyof typeof options)[]
  const taken = names.filter((name) => !notOf[pattern].includes(name))
  const all = Object.fromEntries(taken.map((name) => [name, options[name]]))
  const structuredOutput = { schema: z.object({ found: z.string() }) }
  return {
    plain: {},
    'with all that is asked beside': { ...all, resourceId: 'user' },
    'at the end of its budget': { ...all, budget: { modelCalls: 1 } },
    ...(writesNothing.includes(pattern) ? {} : { shaped: { structuredOutput } }),
  }
}

async function requestsOf(pattern: Pattern, runOptions: object): Promise<string[]> {
  const { agent } = patternTree([pattern])
  const store = memoryStore()
  const run = await createTroupe({ agents: [agent], store }).start(agent, 'Find it.', {
    ...runOptions,
    threadId: 'thread',
  })
  await run.result
  const entries = (await store.read(run.id)) ?? []
  const requests = entries.flatMap((entry) =>
    entry.type === 'effect.settled' ? [`${entry.key} ${entry.kind} ${entry.digest}`] : [],
  )
  return requests.toSorted() // who settles first is not the charts' business
}

test.each(patterns)('%s asks for what it has always asked for', async (pattern) => {
  const parts: string[] = []
  for (const [name, runOptions] of Object.entries(runsOf(pattern))) {
    const requests = await requestsOf(pattern, runOptions)
    expect(requests.length).toBeGreaterThan(1)
    parts.push([`# ${name}`, ...requests, ''].join('\n'))
  }
  await expect(parts.join('\n')).toMatchFileSnapshot(`requests/${pattern}.txt`)
})
