/** The Responses API of OpenAI without storage: encrypted reasoning must come back before the call that followed it. */
import type { Body, Provider, Turn } from './provider-server.ts'

interface Item {
  readonly type: string
  readonly role?: string
  readonly encrypted_content?: string
  readonly call_id?: string
}

const itemsOf = (body: Body): readonly Item[] => body['input'] as readonly Item[]

export function responsesProvider(): Provider {
  const outputOf = ({ text, calls = [] }: Turn, n: number): readonly object[] => [
    { type: 'reasoning', id: `rs_${n}`, summary: [], encrypted_content: `sealed-${n}`, status: null },
    ...(text === undefined
      ? []
      : [{ type: 'message', id: `msg_${n}`, role: 'assistant', content: [{ type: 'output_text', text }] }]),
    ...calls.map(({ name, args }, index) => ({
      type: 'function_call',
      id: `fc_${n}_${index}`,
      call_id: `call_${n}_${index}`,
      name,
      arguments: JSON.stringify(args),
    })),
  ]
  const response = (turn: Turn, n: number) => ({
    id: `resp_${n}`,
    status: 'completed',
    output: outputOf(turn, n),
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  })
  return {
    read: (body) => ({
      system: typeof body['instructions'] === 'string' ? body['instructions'] : '',
      // A reply is one run of items of the model.
      answers: itemsOf(body).filter((item, index, all) => isOfModel(item) && !isOfModel(all[index - 1]))
        .length,
      stream: body['stream'] === true,
    }),
    refusal: (body) => {
      if (!(body['include'] as readonly string[] | undefined)?.includes('reasoning.encrypted_content')) {
        return 'The reasoning of this model must be asked for.'
      }
      const items = itemsOf(body)
      const at = items.findIndex(({ type, call_id: id }, index) => {
        const n = /^call_(\d+)_0$/.exec(id ?? '')?.[1]
        if (type !== 'function_call' || n === undefined) return false
        const before = items.slice(0, index).findLast((item) => item.type === 'reasoning')
        return before?.encrypted_content !== `sealed-${n}` || 'status' in before
      })
      return at === -1
        ? undefined
        : `Item of type 'function_call' at ${at} was provided without its required 'reasoning' item.`
    },
    reply: response,
    events: (turn, n) => [
      { type: 'response.created', response: { id: `resp_${n}`, status: 'in_progress' } },
      ...outputOf(turn, n).map((item, index) => ({
        type: 'response.output_item.done',
        output_index: index,
        item,
      })),
      { type: 'response.completed', response: response(turn, n) },
    ],
  }
}

function isOfModel(item: Item | undefined): boolean {
  return (
    item !== undefined && (item.role === 'assistant' || ['reasoning', 'function_call'].includes(item.type))
  )
}
