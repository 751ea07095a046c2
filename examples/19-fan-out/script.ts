/** What the model says offline. */
import type { Script } from '../support/scripted-server.ts'

export const script: Script = {
  'You assess the risk of partners': ({ prompt }) => {
    if (prompt.startsWith('Divide the task')) return divided
    if (prompt.startsWith('Are these results enough')) return gap
    return 'Tern & Sons is a sound partner: few debts, and the lawsuit of 2023 was withdrawn. What its owners do in private was not looked into.'
  },
  'You are the analyst for finance': ({ number, results }) => {
    if (number === 0) return [{ name: 'figures', args: { company: 'Tern & Sons' } }]
    const { debts, turnover } = JSON.parse(results[0] ?? '{}') as { debts: number; turnover: number }
    return `Debts of ${debts} euros stand against a turnover of ${turnover}.`
  },
  'You are the analyst for law': ({ prompt }) =>
    prompt.includes('lawsuit')
      ? 'The lawsuit of 2023 was withdrawn.'
      : 'No sanctions, and all licences are valid.',
  'You are the analyst for the press': () => 'In 2023 a newspaper wrote of a lawsuit.',
}

const divided = JSON.stringify({
  goals: [
    { goal: 'How sound are the finances of Tern & Sons?', agent: 'finance', context: null },
    { goal: 'Are there sanctions against Tern & Sons?', agent: 'legal', context: 'It trades in grain.' },
    { goal: 'What is written about Tern & Sons?', agent: 'press', context: null },
    { goal: 'What do its owners do in their private lives?', agent: 'press', context: null },
  ],
})

const gap = JSON.stringify({
  complete: false,
  goals: [
    {
      goal: 'What became of the lawsuit of 2023?',
      agent: 'legal',
      context: 'The press wrote of it; the registers show nothing.',
    },
  ],
})
