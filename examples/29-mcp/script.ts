/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You are the travel desk': ({ number, prompt, results }) => {
    const [, city = ''] = /to (\w+)/.exec(prompt) ?? []
    switch (number) {
      case 0:
        return [{ name: 'timetable', args: { city } }]
      case 1: {
        const [, train = ''] = /"trains":\["([^"]+)"/.exec(results[0] ?? '') ?? []
        return [{ name: 'book', args: { city, train } }]
      }
      default:
        return `Done. ${results.at(-1)}`
    }
  },
}
