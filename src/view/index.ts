/** The events of a run as a tree, for pages, terminals and adapters. It needs neither Node nor React. */
export { nextView, viewOf, viewsOf } from './next-view.ts'
export { callIn } from './changes/place.ts'
export { emptyView } from './contract/run-view.ts'
export type { AgentView, BackgroundView, DelegationPart, PartView, RunView } from './contract/run-view.ts'
export type { QuestionView } from './contract/parts.ts'
export type * from './contract/parts.ts'
export { visibleJson, visibleLines, visiblePieces, visibleText, type VisiblePiece } from '../kit/index.ts'
export type { KeyedList } from './lists/keyed-list.ts'
export { summarise } from './summary/summarise.ts'
export { sentenceText } from './summary/texts.ts'
export { runsText, type RunsTextOptions } from './summary/runs-text.ts'
export { summaryText, type SummaryTextOptions } from './summary/summary-text.ts'
export type {
  Phrase,
  Sentence,
  SummarisedEntry,
  Summary,
  SummaryAgent,
  SummaryChange,
  SummaryChoice,
  SummaryDelegation,
  SummaryFailure,
  SummaryOptions,
  SummaryQuestion,
  SummaryScoring,
  SummaryWork,
} from './summary/summary.ts'
