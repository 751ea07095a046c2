/** Explorations: the options of the run are those of the agent, and the outcomes of a machine those of its children. */
import { createAgent, createSupervisor, type ChatModel, type Outcome } from 'troupe'
import { answers, calls, explore, gives, never, precedes, type ExploreReport } from 'troupe/testing'
import { fromPromise, setup, type SnapshotFrom } from 'xstate'

declare const model: ChatModel

const solo = createAgent({ id: 'solo', instructions: '', model })
const lead = createSupervisor({ id: 'lead', instructions: '', model, agents: {} })

const report: Promise<ExploreReport> = explore(lead, {
  run: { maxSteps: 2, delegation: { timeout: 100 } },
  say: { lead: [answers('Done.'), calls({ solo: 'Go.' })], solo: ({ step }) => [answers(`Step ${step}.`)] },
  hooks: { onDelegationComplete: [gives({ bail: true })] },
  people: ['approve', { resume: 1 }],
  rules: {
    condition: never((run) => run.failed('solo') && run.count('step-start') > 3),
    order: precedes('tool-call-approval', 'tool-result', { tool: 'pay' }),
  },
})
export const completed: Promise<number | undefined> = report.then(({ outcomes }) => outcomes.completed)
export type Ending = Outcome

// @ts-expect-error -- an agent without subagents takes no `delegation`
void explore(solo, { run: { delegation: { timeout: 100 } } })
// @ts-expect-error -- a misspelt hook
void explore(lead, { hooks: { onDelegationComplet: [] } })
// @ts-expect-error -- an answer that is none
void explore(lead, { people: ['aprove'] })
// @ts-expect-error -- an agent is named by its id
void explore(lead, { rules: { condition: never((run) => run.failed(1)) } })
// @ts-expect-error -- no such event
void explore(lead, { rules: { order: precedes('tool-call-aproval', 'tool-result') } })

const order = setup({
  actors: { bank: fromPromise<'paid'>(async () => 'paid') },
  types: { input: {} as { readonly order: string } },
}).createMachine({ id: 'order', initial: 'open', states: { open: {} } })

void explore(order, {
  input: { order: 'A-17' },
  outcomes: { bank: [{ name: 'pays', value: 'paid' }] },
  rules: { open: never((snapshot: SnapshotFrom<typeof order>) => snapshot.value === 'open') },
})
// @ts-expect-error -- the bank gives no such value
void explore(order, { outcomes: { bank: [{ name: 'pays', value: 'payed' }] } })
