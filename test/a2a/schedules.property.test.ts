/** Messages, cancels, answers of others and restarts in any order, at two processes: a task is always as its run is. */
import { TaskState, type Task } from '@a2a-js/sdk'
import fc from 'fast-check'
import { memoryStore } from 'troupe'
import { expect, test } from 'vitest'
import { cashier } from '../support/agents/cashier.ts'
import { clientOf, send, serve, text, type Served } from './served.ts'

const step = fc.record({
  process: fc.constantFrom(0, 1),
  act: fc.constantFrom('yes', 'no', 'hm', '', 'get', 'cancel', 'answered elsewhere', 'restart'),
})

/** Steps of one group begin together. */
const schedules = fc.array(fc.array(step, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })

const outcomes: Readonly<Record<number, string>> = {
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_CANCELED]: 'cancelled',
}

/** Two processes on one store. */
class Office {
  paid = 0
  readonly #both = { store: memoryStore(), onError: () => undefined }
  readonly #agent = cashier(() => this.paid++)
  readonly #servers: Served[] = []

  constructor() {
    this.#servers.push(this.#open(), this.#open())
  }

  at(process: number): Served {
    const served = this.#servers[process]
    if (served === undefined) throw new Error('There are two processes.')
    return served
  }

  async restart(process: number): Promise<void> {
    const before = this.at(process)
    this.#servers[process] = this.#open()
    await before.troupe.close()
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(({ troupe }) => troupe.close()))
  }

  #open(): Served {
    const served = serve(this.#agent, this.#both)
    void served.troupe.recover({ every: 5 }).catch(() => undefined) // it was closed before
    return served
  }
}

async function perform(office: Office, task: Task, { process, act }: { process: number; act: string }) {
  const { troupe, fetch } = office.at(process)
  const client = await clientOf({ fetch })
  switch (act) {
    case 'get':
      return client.getTask({ id: task.id, tenant: '' })
    case 'cancel':
      return client.cancelTask({ id: task.id, tenant: '', metadata: undefined })
    case 'restart':
      return office.restart(process)
    case 'answered elsewhere': {
      const [question] = (await troupe.awaiting({ runId: task.id })).items
      const toolCallId = question?.toolCallId ?? 'none'
      return troupe.signal(task.id, { type: 'approve', toolCallId })
    }
    default:
      return send(client, [text(act)], task)
  }
}

/** The state of the task, and the outcome of its run. */
async function look(office: Office, id: string): Promise<readonly [TaskState, string | undefined]> {
  const { troupe, fetch } = office.at(0)
  const { status } = await (await clientOf({ fetch })).getTask({ id, tenant: '' })
  const [run] = (await troupe.runs({ runId: id })).items
  return [status?.state ?? TaskState.TASK_STATE_UNSPECIFIED, run?.outcome]
}

test('a task ends with its run, as its run, and money is paid once', async () => {
  await fc.assert(
    fc.asyncProperty(schedules, async (groups) => {
      const office = new Office()
      const asked = await send(await clientOf(office.at(0)), [text('Pay back.')])
      for (const group of groups) {
        await Promise.allSettled(group.map((one) => perform(office, asked, one)))
        const [state, outcome] = await look(office, asked.id)
        if (state in outcomes) expect(outcomes[state]).toBe(outcome)
        else expect([TaskState.TASK_STATE_WORKING, TaskState.TASK_STATE_INPUT_REQUIRED]).toContain(state)
      }
      await expect
        .poll(async () => {
          const [state] = await look(office, asked.id)
          if (state === TaskState.TASK_STATE_INPUT_REQUIRED)
            await perform(office, asked, { process: 0, act: 'yes' })
          return outcomes[(await look(office, asked.id))[0]]
        })
        .toMatch(/completed|cancelled/)
      const [state, outcome] = await look(office, asked.id)
      expect(outcomes[state]).toBe(outcome)
      expect(office.paid).toBeLessThanOrEqual(1)
      await office.close()
    }),
    { numRuns: 25 },
  )
})
