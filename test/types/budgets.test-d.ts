/** Budgets, tasks in the background, and the cancel of one delegation. */
import {
  createAgent,
  createSupervisor,
  createTroupe,
  openai,
  type BackgroundTask,
  type BudgetOptions,
  type CancelOptions,
  type ModelPrice,
  type PriceTable,
  type Run,
  type RunEvent,
  type Usage,
} from 'troupe'
import { expectType } from './expect-type.ts'

const model = openai('gpt-5-mini')
const common = { id: 'a', description: 'Writes.', instructions: '', model }
const prices = { 'gpt-5-mini': { input: 0.25, output: 2, cachedInput: 0.025 } }
const budget = { tokens: 1, cost: 1, wallClock: 1, modelCalls: 1, warnAt: 0.5, prices }
const writer = createAgent({ ...common, budget, maxRepeatedCalls: 3 })
const lead = createSupervisor({
  ...common,
  agents: { writer, editor: writer },
  budget: { prices },
  maxRepeatedCalls: 3,
  backgroundTasks: { writer: { enabled: true, timeoutMs: 60_000, concurrency: 2 } },
})

expectType<number | undefined>()(({} as BudgetOptions).wallClock)
expectType<PriceTable | undefined>()(({} as BudgetOptions).prices)
expectType<number | undefined>()(({} as ModelPrice).cachedInput)
expectType<number | undefined>()(({} as BackgroundTask).timeoutMs)
expectType<string | undefined>()(({} as CancelOptions).delegationId)
expectType<number | undefined>()(({} as Usage).cost)

// On definitions and for one run.
void lead.generate('Go', { budget: { modelCalls: 3 }, maxRepeatedCalls: 2 })
void lead.generate('Go', { backgroundTasks: { writer: { enabled: false }, editor: {} } })
void writer.generate('Go', { budget })

// @ts-expect-error only its own subagents, by their keys
void lead.generate('Go', { backgroundTasks: { nobody: {} } })
// @ts-expect-error an agent without subagents has nothing to run in the background
void writer.generate('Go', { backgroundTasks: { writer: {} } })
// @ts-expect-error not a limit that there is
createAgent({ ...common, budget: { depth: 3 } })
// @ts-expect-error a price has two sides
createAgent({ ...common, budget: { prices: { 'gpt-5-mini': { input: 1 } } } })
// @ts-expect-error a number
createAgent({ ...common, maxRepeatedCalls: 'three' })
// @ts-expect-error only its own subagents, by their keys
createSupervisor({ ...common, agents: { writer }, backgroundTasks: { nobody: {} } })
// @ts-expect-error not an option of a task
createSupervisor({ ...common, agents: { writer }, backgroundTasks: { writer: { timeout: 5 } } })

export async function told(run: Run): Promise<void> {
  await run.cancel()
  await run.cancel('Enough.')
  await run.cancel('Enough.', { delegationId: 'lead/delegation:1.1' })
  await run.signal({ type: 'cancel', reason: 'Enough.', delegationId: 'lead/delegation:1.1' })
  const troupe = createTroupe({ agents: [lead] })
  await troupe.cancel(run.id, 'Enough.', { delegationId: 'lead/delegation:1.1' })
  // @ts-expect-error an object says what is meant
  await run.cancel('Enough.', 'lead/delegation:1.1')
  // @ts-expect-error the other signals are for calls
  await run.signal({ type: 'approve', delegationId: 'lead/delegation:1.1' })

  const result = await run.result
  expectType<number | undefined>()(result.usage.cost)
  expectType<number | undefined>()(result.usage.byAgent['lead']?.cost)
  expectType<number | undefined>()(result.delegations[0]?.usage.cost)
}

export function heard(event: RunEvent): void {
  if (event.type === 'background-start') expectType<string>()(event.payload.taskId)
  if (event.type === 'background-end') {
    expectType<
      'succeeded' | 'bailed' | 'rejected' | 'failed' | 'timedOut' | 'exhausted' | 'cancelled' | 'denied'
    >()(event.payload.outcome)
    expectType<string | undefined>()(event.payload.agentName)
    expectType<string | undefined>()(event.payload.toolName)
  }
  if (event.type === 'budget-warning') expectType<number>()(event.payload.used)
  if (event.type === 'resumed') {
    expectType<string | undefined>()(event.payload.toolCallId)
    expectType<string | undefined>()(event.payload.delegationId)
  }
}
