/** What of linting must, and must not, compile. */
import { createAgent, createSupervisor } from 'troupe'
import {
  formatVisibility,
  lint,
  modelCallBound,
  scriptedModel,
  visibilityOf,
  type Finding,
} from 'troupe/testing'
import { z } from 'zod'
import { expectType } from '../expect-type.ts'

const model = scriptedModel([])
const worker = createAgent({ id: 'worker', description: 'Works.', instructions: '', model })
const lead = createSupervisor({ id: 'lead', instructions: '', model, agents: { worker } })
const strict = createAgent({
  id: 'strict',
  instructions: '',
  model,
  contextSchema: z.object({ user: z.string() }),
})

expectType<readonly Finding[]>()(lint(lead))
expectType<'error' | 'warning' | 'info'>()(
  lint(lead, { entry: 'generate', modelCalls: 9 })[0]?.severity ?? 'info',
)
lint(lead, { run: { maxSteps: 2, bailStrategy: 'last' } })
lint(lead, { accept: [{ code: 'calls-without-budget', reason: 'A person watches it.' }] })
lint(strict, { run: { context: { user: 'Ada' } } })
expectType<number | undefined>()(modelCallBound(lead, { maxSteps: 2 }).calls)
expectType<string>()(formatVisibility(visibilityOf(strict)))

// @ts-expect-error an agent, not its configuration
lint({ id: 'lead' })
// @ts-expect-error an agent without subagents bails nothing
lint(worker, { run: { bailStrategy: 'last' } })
// @ts-expect-error no such code
lint(lead, { accept: [{ code: 'budget', reason: 'It is small.' }] })
// @ts-expect-error a reason is missing
lint(lead, { accept: [{ code: 'calls-without-budget' }] })
// @ts-expect-error not one of the entries
lint(lead, { entry: 'http' })
// @ts-expect-error the context has another shape
modelCallBound(strict, { context: { user: 1 } })
