/**
 * What people ask of a run at three in the morning, and the way of a stranger to each answer: the clicks from the list of runs, the
 * first of which is on the run, and the words that the page has then; and the command of the terminal, with the words that it prints.
 */
import type { StoryName } from './runs.ts'

export interface Asked {
  readonly question: string
  readonly run: StoryName
  /** The summary, one click from the list of runs. */
  readonly summary: readonly string[]
  /** A second click, on a link of the summary, for what the summary does not say. */
  readonly link?: { readonly name: string; readonly words: readonly string[] }
  readonly terminal: { readonly command: 'why' | 'show'; readonly words: readonly string[] }
}

export const asked: readonly Asked[] = [
  {
    question: 'who spent the money',
    run: 'outOfBudget',
    summary: ['Agents', 'cost EUR', 'archivist', '67 %', '0.018', 'scripted/teller', 'total', '0.027'],
    terminal: {
      command: 'show',
      words: ['cost EUR', 'archivist 4 3 4000 400 0.018 0 ms 67% scripted/teller', 'total 6 3'],
    },
  },
  {
    question: 'why did it stop',
    run: 'outOfBudget',
    summary: [
      'Out of budget: 4 of 4 model calls used; archivist was cut off at entry 12',
      'Beside them 2 calls for a last answer, which the budget does not count.',
    ],
    link: { name: 'entry 12', words: ['BUDGET_EXCEEDED', 'modelCalls 4 of 4'] },
    terminal: {
      command: 'why',
      words: ['Out of budget: 4 of 4 model calls used; archivist was cut off at entry 12, librarian'],
    },
  },
  {
    question: 'what did the hook change',
    run: 'changedPrompt',
    summary: [
      'curator, onDelegationStart: prompt',
      'before Find letters.',
      'after Find letters. Only those before 1700.',
      'after Name the years.',
      'before 2 messages, the last: assistant calls agent-archivist',
    ],
    link: { name: 'entry 3', words: ['modifiedPrompt'] },
    terminal: {
      command: 'show',
      words: [
        'curator, onDelegationStart: prompt before: Find letters. after: Find letters. Only those before 1700.',
      ],
    },
  },
  {
    question: 'why was it rejected',
    run: 'rejectedDelegation',
    summary: [
      'Completed, although 1 delegation was rejected.',
      'the delegation to archivist was rejected: sealed letters need a warrant',
    ],
    link: { name: 'entry 3', words: ['sealed letters need a warrant'] },
    terminal: {
      command: 'why',
      words: [
        'although 1 delegation was rejected',
        'entry 3 editor: the delegation to archivist was rejected: sealed letters need a warrant',
      ],
    },
  },
  {
    question: 'which tool failed deep down',
    run: 'failedToolDeepDown',
    summary: ['clerk: the tool ledger failed: ledger offline: connection refused TOOL_FAILED'],
    link: { name: 'entry 6', words: ['connection refused'] },
    terminal: {
      command: 'why',
      words: ['entry 6 clerk: the tool ledger failed: ledger offline: connection refused (TOOL_FAILED)'],
    },
  },
  {
    question: 'why this agent',
    run: 'wrongRoute',
    summary: ['desk chose writer of archivist, writer, none', 'because The writer knows the town.'],
    link: { name: 'entry 3', words: ['The writer knows the town.'] },
    terminal: {
      command: 'show',
      words: ['entry 3 desk chose writer of archivist, writer, none because: The writer knows the town.'],
    },
  },
  {
    question: 'is completed well',
    run: 'completedOverFailures',
    summary: [
      'Completed over failures: all 3 delegations failed (north, south, west).',
      'south is out of order',
    ],
    terminal: {
      command: 'why',
      words: [
        'Completed over failures: all 3 delegations failed (north, south, west). The answer rests on none of them.',
      ],
    },
  },
]
