/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the cashier': ({ number, prompt, results }) => {
    const [order = '', euros = '0'] = /(\w-\d+), (\d+)/.exec(prompt)?.slice(1) ?? []
    if (number === 0) return [{ name: 'refund', args: { order, euros: Number(euros) } }]
    return results[0] === 'It is paid back.'
      ? `We have paid back ${euros} euros for ${order}.`
      : `We cannot pay back ${order}: it is older than a year.`
  },
}
