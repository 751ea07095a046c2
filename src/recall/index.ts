/**
 * Recall: texts of a store of your own that fit the task, before the model is called.
 * @experimental
 */
export {
  type FoundPassage,
  type RecallOptions,
  type RecallScope,
  type RecallSearch,
  recall,
} from './recall.ts'
