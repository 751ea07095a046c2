/** What of evaluations must, and must not, compile. */
import { createAgent, createScorer, createSupervisor, type FinalResult } from 'troupe'
import { evaluate, recordTools, scriptedModel, type ToolRecord } from 'troupe/testing'
import { expectType } from '../expect-type.ts'

const model = scriptedModel([])
const worker = createAgent({ id: 'worker', description: 'Works.', instructions: '', model })
const lead = createSupervisor({ id: 'lead', instructions: '', model, agents: { worker } })
const scorer = createScorer({ id: 'good', score: ({ output }) => output.length })

export async function evaluates(): Promise<void> {
  const report = await evaluate(
    lead,
    [
      {
        prompt: 'Go',
        recording: await recordTools([]),
        expected: 42,
        outcome: 'bailed',
        run: { bailStrategy: 'last' },
      },
    ],
    {
      scorers: [
        scorer,
        {
          id: 'whole',
          score: ({ result, calls, expected }) => {
            expectType<FinalResult>()(result)
            expectType<readonly ToolRecord[]>()(calls)
            expectType<unknown>()(expected)
            return { score: 1, reason: 'Why not.' }
          },
        },
      ],
      unrecorded: 'run',
      run: { maxSteps: 2 },
    },
  )
  expectType<boolean>()(report.passed)
  expectType<number | undefined>()(report.scores['good']?.mean)
  // @ts-expect-error an agent without subagents bails nothing
  await evaluate(worker, [{ prompt: 'Go', run: { bailStrategy: 'last' } }])
  // @ts-expect-error a case has a prompt
  await evaluate(lead, [{ recording: '' }])
  // @ts-expect-error tools never run unless a call is unrecorded
  await evaluate(lead, [], { tools: 'real' })
  // @ts-expect-error a suspended run has not ended
  await evaluate(lead, [{ prompt: 'Go', outcome: 'suspended' }])
}
