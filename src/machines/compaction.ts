/**
 * Makes a conversation shorter: summaries replace its older messages, the oldest first, until the conversation is short
 * enough. A summary that is empty, or not shorter than the messages that it replaces, is asked for again.
 */
import { once } from '../actors/values/once.ts'
import { expected } from '../actors/toolset/toolset.ts'
import {
  calledWriter,
  compactionOutput,
  initialContext,
  type CompactionContext,
} from './compaction/context.ts'
import { compactionSetup } from './compaction/setup.ts'
import { backingOff, retries } from './shared/backing-off.ts'
import { fallingBack, fallsBack } from './shared/falling-back.ts'
import { failure, output } from './shared/params.ts'
import type { CompactionOutput } from './contract/reports.ts'

export type { CompactionInput } from './compaction/context.ts'

export const compactionMachine = /* @__PURE__ */ once(() =>
  compactionSetup.createMachine({
    id: 'compaction',
    description: 'Summaries replace the older messages of a conversation.',
    context: ({ input }) => initialContext(input),
    output: ({ event }) => event.output as CompactionOutput,
    initial: 'choosing',
    entry: 'announceStart',
    on: {
      cancel: { target: '.cancelled', actions: 'abortEffects' },
      'budget.spent': {
        target: '.failed',
        actions: ['abortEffects', { type: 'recordError', params: ({ event }) => event.error }],
      },
    },
    states: {
      choosing: {
        description: 'Is the conversation still too long, and are there older messages to replace?',
        always: [
          { guard: 'mayReplaceMore', target: 'summarizing', actions: 'choosePart' },
          { target: 'compacted' },
        ],
      },
      summarizing: {
        description: 'A model or a function summarises the oldest messages.',
        invoke: {
          src: 'compaction',
          id: 'compaction',
          input: ({ context: { input, part, messages, fallen } }) => ({
            agent: input.agent,
            ...calledWriter(input.writer, fallen),
            task: input.task,
            messages: part === undefined ? messages : part.messages,
            characters: input.limits.characters,
            words: input.limits.words,
            ...expected(input.toolset),
            ...input.timeouts,
          }),
          onDone: { target: 'judging', actions: { type: 'recordSummary', params: output } },
          onError: [
            retries,
            fallsBack,
            { target: 'failed', actions: { type: 'recordError', params: failure } },
          ],
        },
      },
      backingOff: backingOff((context: CompactionContext) => context, 'summarizing'),
      fallingBack: fallingBack('summarizing'),
      judging: {
        description: 'Is there a summary that is shorter than the messages that it replaces?',
        always: [
          { guard: 'isShorter', target: 'choosing', actions: 'replace' },
          { guard: 'mayAskAgain', target: 'summarizing', actions: 'countUseless' },
          { target: 'failed', actions: 'recordUseless' },
        ],
      },
      compacted: {
        type: 'final',
        entry: { type: 'announceEnd', params: { outcome: 'compacted' } },
        output: ({ context }) => compactionOutput(context, 'compacted'),
      },
      failed: {
        type: 'final',
        entry: { type: 'announceEnd', params: { outcome: 'failed' } },
        output: ({ context }) => compactionOutput(context, 'failed'),
      },
      cancelled: {
        type: 'final',
        entry: { type: 'announceEnd', params: { outcome: 'cancelled' } },
        output: ({ context }) => compactionOutput(context, 'cancelled'),
      },
    },
  }),
)

/** Named, so that declarations of the charts above it name it too. */
export interface CompactionMachine extends ReturnType<typeof compactionMachine> {}
