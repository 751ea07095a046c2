/** The types of the outcomes and events of a machine, read from the type of the machine. */
import type {
  AnyEventObject,
  AnyStateMachine,
  EventFromLogic,
  InputFrom,
  OutputFrom,
  StateMachine,
} from 'xstate'
import type { FinalResult } from '../../runtime/handle/result.ts'
import type { ExternalEvent, Outcome } from './stimulus.ts'

/** The actors of `setup({ actors })`, each with its source and its logic. */
type ActorsOf<Machine extends AnyStateMachine> =
  Machine extends StateMachine<
    infer _Context,
    infer _Event,
    infer _Children,
    infer Actors,
    infer _Action,
    infer _Guard,
    infer _Delay,
    infer _Value,
    infer _Tag,
    infer _Input,
    infer _Output,
    infer _Emitted,
    infer _Meta,
    infer _Schema
  >
    ? Actors
    : never

/** The names of the sources of a machine; any text for a machine whose type does not name them. */
export type SourceOf<Machine extends AnyStateMachine> = string extends ActorsOf<Machine>['src']
  ? string
  : ActorsOf<Machine>['src']

type LogicOf<Machine extends AnyStateMachine, Source> = Extract<
  ActorsOf<Machine>,
  { readonly src: Source }
>['logic']

/** The fields of every result of a run, which an outcome may leave out. */
type CommonField = Exclude<keyof FinalResult, 'outcome' | 'by'>

/** The result of a run needs its outcome, and what belongs to that outcome: a reason, an error. */
type Brief<Result> = Result extends { readonly outcome: string; readonly runId: string }
  ? Omit<Result, CommonField | 'object'> &
      Partial<Pick<Result, Extract<keyof Result, CommonField | 'object'>>>
  : Result

type Table<Logic> =
  | readonly Outcome<Brief<OutputFrom<Logic>>>[]
  | ((input: InputFrom<Logic>) => readonly Outcome<Brief<OutputFrom<Logic>>>[])

type AnyTable = readonly Outcome[] | ((input: never) => readonly Outcome[])

/** By the name of the child's source; a function receives the input that the child was started with. */
export type Outcomes<Machine extends AnyStateMachine = AnyStateMachine> =
  string extends SourceOf<Machine>
    ? Readonly<Record<string, AnyTable>>
    : { readonly [Source in SourceOf<Machine>]?: Table<LogicOf<Machine, Source>> }

/** Any event, for a machine whose type does not name its events. */
type KnownEvent<Machine extends AnyStateMachine> = string extends EventFromLogic<Machine>['type']
  ? AnyEventObject
  : EventFromLogic<Machine>

/** An event of the machine, or a snapshot of one of its children (`onSnapshot`). */
type EventOf<Machine extends AnyStateMachine> =
  KnownEvent<Machine> | { readonly type: `xstate.snapshot.${string}`; readonly snapshot: unknown }

/** The type is written twice: so the compiler keeps the literal type of an event in a list that a function returns. */
export type EventFor<Machine extends AnyStateMachine> = ExternalEvent<
  EventOf<Machine> & { readonly type: EventOf<Machine>['type'] }
>
