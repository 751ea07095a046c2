/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'
import type { Ordered } from './agents.ts'

export const script: Script = {
  'You buy what an office needs': ({ task, results: [result] }) => {
    if (result === undefined) return [{ name: 'offers', args: { need: task } }]
    if (!result.includes('"item"')) return 'I have ordered nothing. Tell me what else would help you.'
    const { item, euros, number } = JSON.parse(result) as Ordered & { readonly number?: string }
    if (number === undefined) return [{ name: 'order', args: { item, euros } }]
    return `I have ordered the ${item} for ${euros} euros. It is order ${number}, and it comes on Monday.`
  },
}
