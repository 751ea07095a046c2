/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

interface Order {
  readonly number: string
  readonly item: string
  readonly euros: number
  readonly where: string
}

export const script: Script = {
  'You are the support desk': ({ prompt, results: [result] }) => {
    const [number] = /[A-Z]-\d+/.exec(prompt) ?? []
    if (number === undefined) return 'Which order is it about? Its number is on the parcel, for example A-17.'
    if (result === undefined) return [{ name: 'order', args: { number } }]
    if (result.includes('receipt'))
      return `I am sorry about order ${number}. The money is on its way to you, and you may keep the parcel.`
    if (!result.includes('item'))
      return `I am sorry, I cannot pay order ${number} back. A colleague will write to you.`
    const { item, euros, where } = JSON.parse(result) as Order
    if (/broken|money/i.test(prompt)) return [{ name: 'refund', args: { number, euros } }]
    return `Your ${item} of order ${number} is ${where}.`
  },
}
