import { AIMessage } from '@langchain/core/messages'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { endless as never, replyTo } from './rule.mjs'

class RuleModel extends BaseChatModel {
  constructor(reply, offered = []) {
    super({ maxRetries: 0 })
    this.reply = reply
    this.offered = offered
  }

  _llmType() {
    return 'rule'
  }

  bindTools(tools) {
    return new RuleModel(
      this.reply,
      tools.map((tool) => tool.name),
    )
  }

  async _generate(messages) {
    const {
      text = '',
      id,
      name,
      args,
    } = this.reply({
      offered: this.offered,
      called: messages.flatMap((message) => (message.tool_calls ?? []).map((call) => call.name)),
      lastResult: messages.findLast((message) => message.type === 'tool')?.text ?? '',
    })
    const tool_calls = name === undefined ? [] : [{ type: 'tool_call', id, name, args }]
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls }) }] }
  }
}

export const model = new RuleModel(replyTo)
export const endless = new RuleModel((asked) => never.replyTo(asked))
export const made = () => never.count
