/** Runs of several kinds that pay, and the payments that they have made. Their models answer by what they are shown alone. */
import { createAgent, createSupervisor, createTool, type AnyAgent, type ChatModel } from 'troupe'
import { scriptedModel, type ScriptedReply } from 'troupe/testing'
import { z } from 'zod'
import { calls, to } from '../../support/agents/agents.ts'
import { patterns, patternTree } from '../../support/agents/pattern-tree.ts'

/** Called with the business key of a payment, when it is made. */
export type Pay = (order: string) => void

/** The agents of a process: the root is the first. */
export type Kind = (pay: Pay) => readonly AnyAgent[]

const modelOf = (id: string, ...steps: readonly (string | ScriptedReply)[]): ChatModel =>
  scriptedModel([], {
    modelId: id,
    otherwise: ({ messages }) => {
      const turn = messages.filter(({ role }) => role === 'assistant').length
      return steps[Math.min(turn, steps.length - 1)] ?? 'Done.'
    },
  })

const input = z.object({ order: z.string() })

const paying = (pay: Pay, more: object = {}) =>
  createTool({
    id: 'pay',
    description: 'Pays an order.',
    inputSchema: input,
    ...more,
    execute({ order }) {
      pay(order)
      return `paid ${order}`
    },
  })

const order = (name: string) => calls({ name: 'pay', args: { order: name } })

const clerk = (pay: Pay, ...orders: readonly string[]) =>
  createAgent({
    id: 'clerk',
    description: 'Pays.',
    instructions: '',
    model: modelOf('clerk', ...orders.map(order), 'Paid.'),
    tools: { pay: paying(pay) },
  })

export const kinds: Readonly<Record<string, Kind>> = {
  'two payments, one after the other': (pay) => [clerk(pay, 'a', 'b')],
  'payments of one step': (pay) => [
    createAgent({
      id: 'at-once',
      instructions: '',
      model: modelOf(
        'at-once',
        calls({ name: 'pay', args: { order: 'a' } }, { name: 'pay', args: { order: 'b' } }),
        'Paid.',
      ),
      tools: { pay: paying(pay) },
    }),
  ],
  'an approval': (pay) => [
    createAgent({
      id: 'guarded',
      instructions: '',
      memory: true,
      model: modelOf('guarded', order('a'), 'Paid.'),
      tools: { pay: paying(pay, { requireApproval: true }) },
    }),
  ],
  'a delegation': (pay) => [
    createSupervisor({
      id: 'lead',
      instructions: '',
      memory: true,
      model: modelOf('lead', calls(to('clerk', 'Pay.')), 'All paid.'),
      agents: { clerk: clerk(pay, 'a', 'b') },
    }),
  ],
  'a tool in the background': (pay) => [
    createAgent({
      id: 'behind',
      instructions: '',
      model: modelOf('behind', order('a'), 'Wait.', 'Paid.'),
      tools: { pay: paying(pay, { background: true }) },
    }),
  ],
  'a nested run': (pay) => {
    const inner = clerk(pay, 'a')
    const errand = createTool({
      id: 'errand',
      description: 'Has an order paid.',
      inputSchema: input,
      async execute(_, { start }) {
        return (await start(inner, 'Pay.')).text
      },
    })
    const outer = createAgent({
      id: 'outer',
      instructions: '',
      model: modelOf('outer', calls({ name: 'errand', args: { order: 'a' } }), 'Paid.'),
      tools: { errand },
    })
    return [outer, inner]
  },
  ...Object.fromEntries(
    patterns.map((pattern): [string, Kind] => [
      `the pattern ${pattern}`,
      (pay) => [
        patternTree([pattern], {
          outside: (kind, _key, act) => {
            if (kind === 'tool') pay('gold')
            return act()
          },
        }).agent,
      ],
    ]),
  ),
}

/** The business key of the call that a question is about. */
export function orderOf({ args, toolName }: { readonly args: unknown; readonly toolName: string }): string {
  return toolName === 'dig' ? 'gold' : input.parse(args).order
}
