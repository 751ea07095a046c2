/** A troupe whose runs ask, delegate, suspend and fail, behind an inspector. */
import { createTool, createTroupe, memoryStore, type Store, type Troupe } from 'troupe'
import { inspector, type Inspector } from 'troupe/inspector'
import { z } from 'zod'
import { calls, lead, to, worker } from '../../../support/agents/agents.ts'

/** A supervisor whose clerk pays with approval. */
export function boss() {
  const pay = createTool({
    id: 'pay',
    description: 'Pays.',
    inputSchema: z.object({ euros: z.number().positive() }),
    requireApproval: true,
    execute: ({ euros }) => ({ paid: euros }),
  })
  const clerk = worker('clerk', [calls({ name: 'pay', args: { euros: 7 } })], {
    tools: { pay },
    otherwise: 'The clerk is done.',
  })
  return lead('boss', [calls(to('clerk', 'Pay 7 euros.'))], {
    agents: { clerk: clerk.agent },
    otherwise: 'The bill is settled.',
  }).agent
}

/** An agent whose tool asks for a place, and fails once it is given an empty one. */
export function traveller() {
  const book = createTool({
    id: 'book',
    description: 'Books.',
    inputSchema: z.object({ day: z.string() }),
    execute: ({ day }, { suspend, resumeData }) => {
      if (resumeData === undefined) return suspend({ question: 'Where to?' })
      if (resumeData === '') throw new Error('There is no such place.')
      return `Booked for ${day}.`
    },
  })
  return worker('traveller', [calls({ name: 'book', args: { day: 'Monday' } })], {
    tools: { book },
    otherwise: 'The journey is booked.',
  }).agent
}

/** An agent that answers at once. */
export function greeter(text = 'Hello to you.') {
  return worker('greeter', [], { otherwise: text }).agent
}

/** An agent that makes a number of calls of a small tool before it answers: each makes three entries. */
export function counter(steps: number) {
  const count = createTool({
    id: 'count',
    description: 'Counts.',
    inputSchema: z.object({ number: z.number() }),
    execute: ({ number }) => number + 1,
  })
  const script = Array.from({ length: steps }, (_, number) => calls({ name: 'count', args: { number } }))
  return worker('counter', script, { tools: { count }, otherwise: 'Counted.', maxSteps: steps + 1 }).agent
}

type Agent = ReturnType<typeof boss> | ReturnType<typeof greeter>

export interface Office extends AsyncDisposable {
  readonly troupe: Troupe
  readonly view: Inspector
  readonly store: Store
}

export function openOffice(agents: readonly Agent[], store: Store = memoryStore()): Office {
  const troupe = createTroupe({ agents: [...agents], store })
  const view = inspector(troupe, { title: 'office' })
  return {
    troupe,
    view,
    store,
    async [Symbol.asyncDispose]() {
      await view.stop()
      await troupe.close()
    },
  }
}
