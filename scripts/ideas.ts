/** The charts of docs/concepts: ideas that several machines of the library share, each as a chart that fits a page. */
import { createMachine } from 'xstate'

export const ideas = {
  effect: createMachine({
    id: 'effect',
    initial: 'wanted',
    states: {
      wanted: { description: 'A chart asks for it.', on: { 'is performed': 'underWay' } },
      underWay: {
        description: 'A model, a tool or a person is at work.',
        on: { 'has an outcome': 'onRecord', 'the process dies': 'inDoubt' },
      },
      inDoubt: {
        description: 'No outcome is on record.',
        on: { 'may be repeated': 'underWay', 'a person has decided': 'onRecord' },
      },
      onRecord: { description: 'The chart is told, now and in each replay.', type: 'final' },
    },
  }),
  hold: createMachine({
    id: 'hold',
    initial: 'held',
    states: {
      held: {
        description: 'It has its arguments, and has done nothing.',
        on: { approve: 'underWay', deny: 'denied', cancel: 'cancelled' },
      },
      underWay: { description: 'The tool is called.', on: { outcome: 'settled' } },
      settled: { type: 'final' },
      denied: { description: 'The model is told the reason.', type: 'final' },
      cancelled: { type: 'final' },
    },
  }),
  fork: createMachine({
    id: 'fork',
    initial: 'sharedEntries',
    states: {
      sharedEntries: {
        description: 'They replay, and nothing is performed.',
        on: { 'fork at an entry': 'patched' },
      },
      patched: {
        description: 'The last outcome is another one.',
        on: { 'goes on': 'ownEntries' },
      },
      ownEntries: { description: 'Models are paid, and tools act.', on: { ends: 'ended' } },
      ended: { type: 'final' },
    },
  }),
  drift: createMachine({
    id: 'drift',
    initial: 'waiting',
    states: {
      waiting: {
        description: 'The run waits over a deploy.',
        on: {
          'the agents are the same': 'goingOn',
          'the content is another': 'named',
          'the journal does not fit': 'refused',
        },
      },
      named: { description: 'The journal names the edit.', on: { 'goes on': 'goingOn' } },
      goingOn: { description: 'With the structure that it began with.', type: 'final' },
      refused: {
        description: 'It stays as it is.',
        on: { 'is ended by force': 'ended', 'is forked': 'forked' },
      },
      ended: { type: 'final' },
      forked: { type: 'final' },
    },
  }),
}
