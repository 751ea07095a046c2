/** The life of a connection to an MCP server, over all its clients. */
import { RetryableError } from '../../index.ts'
import { once } from '../../kit/index.ts'
import { assign, fromPromise, setup } from 'xstate'
import type { McpClient } from './client.ts'

/** A client that is connected, as the connection holds it. */
export interface HeldSession {
  readonly client: McpClient
  /** Leaves it to the calls that it has begun. */
  retire(): void
  /** Ends it at once. */
  end(): void
}

interface Context {
  readonly session: HeldSession | undefined
  /** Why the last attempt failed. */
  readonly error: unknown
}

type Event =
  /** A call needs a client. */
  | { readonly type: 'client.wanted' }
  /** The server does not know the session any more, or cannot be reached by it. */
  | { readonly type: 'session.lost'; readonly session: HeldSession }
  | { readonly type: 'connection.closed' }

const connectionSetup = setup({
  types: { context: {} as Context, events: {} as Event, tags: {} as 'trying' },
  actors: {
    /** Makes a client and connects it; provided with the options. */
    connect: fromPromise<HeldSession>(() => Promise.reject(new Error('No connection is provided.'))),
  },
  guards: {
    isCurrent: ({ context, event }) => event.type === 'session.lost' && event.session === context.session,
    mayPass: (_, { error }: { error: unknown }) => error instanceof RetryableError,
  },
  actions: {
    keepSession: assign({ session: (_, { session }: { session: HeldSession }) => session, error: undefined }),
    keepError: assign({ error: (_, { error }: { error: unknown }) => error }),
    leaveSessionToItsCalls: ({ context }) => context.session?.retire(),
    endSession: ({ context }) => context.session?.end(),
    forgetSession: assign({ session: undefined }),
  },
})

/** An attempt to connect, which all calls that wait share. */
const attempt = {
  tags: ['trying'],
  invoke: {
    id: 'connect',
    src: 'connect',
    onDone: {
      target: 'ready',
      actions: { type: 'keepSession', params: ({ event }) => ({ session: event.output }) },
    },
    onError: [
      {
        guard: { type: 'mayPass', params: ({ event }) => ({ error: event.error }) },
        target: 'unreachable',
        actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
      },
      {
        target: 'refused',
        actions: { type: 'keepError', params: ({ event }) => ({ error: event.error }) },
      },
    ],
  },
  on: { 'connection.closed': 'closed' },
} satisfies Parameters<typeof connectionSetup.createStateConfig>[0]

export const connectionMachine = /* @__PURE__ */ once(() =>
  connectionSetup.createMachine({
    id: 'mcp-connection',
    description: 'A connection to an MCP server, which all agents and runs share.',
    context: { session: undefined, error: undefined },
    initial: 'idle',
    states: {
      idle: {
        description: 'Nothing is started: no call has needed the server.',
        on: { 'client.wanted': 'connecting', 'connection.closed': 'closed' },
      },
      connecting: { description: 'A client connects. Calls wait for it.', ...attempt },
      ready: {
        description: 'The client takes calls.',
        on: {
          'session.lost': {
            guard: 'isCurrent',
            target: 'lost',
            actions: ['leaveSessionToItsCalls', 'forgetSession'],
          },
          'connection.closed': { target: 'closed', actions: ['endSession', 'forgetSession'] },
        },
      },
      lost: {
        description: 'The connection worked, and its session is gone. The next call makes a new one.',
        on: { 'client.wanted': 'reconnecting', 'connection.closed': 'closed' },
      },
      reconnecting: {
        description: 'One new client connects after a loss. All calls wait for it.',
        ...attempt,
      },
      unreachable: {
        description: 'The last attempt did not reach the server. The next call makes another.',
        on: { 'client.wanted': 'connecting', 'connection.closed': 'closed' },
      },
      refused: {
        description: 'The server refused the last attempt. The next call makes another.',
        on: { 'client.wanted': 'connecting', 'connection.closed': 'closed' },
      },
      closed: { description: 'The program has closed the connection.', type: 'final' },
    },
  }),
)
