/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

const place = (text: string): string | undefined => /\bto ([A-Z]\w+)/.exec(text)?.[1]

export const script: Script = {
  'You run a travel bureau': ({ prompt, results: [result] }) => {
    const [colours] = /\b(?:light|dark)\b/.exec(prompt) ?? []
    if (colours !== undefined)
      return result === undefined ? [{ name: 'theme', args: { to: colours } }] : `The page is ${colours} now.`
    const to = place(prompt)
    if (to === undefined) return 'Where do you want to go? Write for example: I have to go to Bergen.'
    if (result === undefined) return [{ name: 'agent-scout', args: { prompt: `A train to ${to}, please.` } }]
    if (result.startsWith('Take')) return [{ name: 'book', args: { train: 'IC 17', euros: 39 } }]
    return result.includes('seat')
      ? `Your seat to ${to} is booked: train IC 17 leaves at 09:12, and you have the window.`
      : `Nothing is booked. Tell me when you want to go to ${to} after all.`
  },
  'You are the scout': ({ prompt, results }) => {
    const to = place(prompt) ?? ''
    return results.length === 0
      ? [{ name: 'trains', args: { to } }]
      : `Take IC 17 to ${to} at 09:12: it costs 39 euros.`
  },
}
