import { declarationOf } from '#tools/declaration-of.ts'
import { parseSource } from '#tools/i18n/calls.ts'
import ts from '#tools/typescript-api.ts'

/**
 * Finds refusals, messages of fields and of successes that are plain English instead of a text of the catalogue: what an
 * AppError says, followed through the constants, functions and parameters of its file, and what a contract tells a caller.
 */

const REFUSES = /\bAppError\(|\binvalidField\(|\bdefineRefusals\(/
const CONTRACT = 'shared/contract/'
/** Answers to machines, or given before a request and its language are known. */
const EXCEPTED = ['server/http/health.ts', 'server/http/unreadable.ts']
const PROBLEM =
  'people read this in their language, write: t(…), or msg(…) for a constant and translate(…) of it'
/** Their first argument begins the messages of a field. */
const LABELLED = ['textLine', 'textBlock', 'usdNumber', 'coinAmountText', 'moment']
/** Texts of the API's description, which is English, and no texts. */
const DESCRIBES = ['describe', 'literal', 'meta', 'msg', 't', 'translate']

/** Checks one file, as rules.ts does; `file` is its path from the project's folder. */
export function plainRefusals(file: string, code: string): { file: string; line: number; problem: string }[] {
  if (!/^(server|shared)\//.test(file) || EXCEPTED.includes(file)) return []
  const isContract = file.startsWith(CONTRACT)
  if (!isContract && !REFUSES.test(code)) return []
  const source = parseSource(file, code)
  return plainWords(source, isContract).map(node => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
    return { file, line: line + 1, problem: PROBLEM }
  })
}

function plainWords(source: ts.SourceFile, isContract: boolean): ts.Node[] {
  const found = new Set<ts.Node>()
  const seen = { asName: new Set<ts.Node>(), asText: new Set<ts.Node>() }
  const calls = callsByName(source)

  /** Finds the plain words that a value can have. A name may be one of `msg`, which others translate. */
  function follow(node: ts.Node | undefined, isName = false): void {
    const visited = isName ? seen.asName : seen.asText
    if (node === undefined || visited.has(node)) return
    visited.add(node)
    if (ts.isStringLiteralLike(node)) {
      if (hasWords(node.text)) found.add(node)
    } else if (ts.isTemplateExpression(node)) {
      if ([node.head, ...node.templateSpans.map(span => span.literal)].some(part => hasWords(part.text)))
        found.add(node)
      for (const { expression } of node.templateSpans) follow(expression, isName)
    } else if (ts.isConditionalExpression(node)) {
      follow(node.whenTrue, isName)
      follow(node.whenFalse, isName)
    } else if (ts.isBinaryExpression(node)) {
      if (joins.has(node.operatorToken.kind)) for (const side of [node.left, node.right]) follow(side, isName)
    } else if (ts.isIdentifier(node)) {
      followName(node, isName)
    } else if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      if (node.expression.text === 'msg' && !isName) found.add(node)
      else if (!DESCRIBES.includes(node.expression.text)) followName(node.expression, isName)
    } else if (ts.isElementAccessExpression(node) || ts.isPropertyAccessExpression(node)) {
      if (ts.isIdentifier(node.expression)) followName(node.expression, isName)
    } else if (ts.isFunctionLike(node)) {
      for (const value of returned(node)) follow(value, isName)
    } else if (ts.isObjectLiteralExpression(node)) {
      for (const property of node.properties) {
        if (ts.isPropertyAssignment(property)) follow(property.initializer, isName)
        else if (ts.isShorthandPropertyAssignment(property)) follow(property.name, isName)
      }
    } else if (ts.isArrayLiteralExpression(node)) {
      for (const element of node.elements) follow(element, isName)
    } else if (isWrapper(node)) {
      follow(node.expression, isName)
    }
  }

  function followName(name: ts.Identifier, isName: boolean): void {
    const declared = declarationOf(name)
    if (declared === undefined) return
    if (ts.isVariableDeclaration(declared) && ts.isObjectBindingPattern(declared.name)) {
      for (const object of objectsOf(declared.initializer)) follow(propertyOf(object, name.text), isName)
    } else if (!ts.isParameter(declared))
      follow(ts.isVariableDeclaration(declared) ? declared.initializer : declared, isName)
    else if (ts.isIdentifier(declared.name)) {
      const owner = declared.parent
      const index = owner.parameters.indexOf(declared)
      for (const call of calls.get(nameOf(owner)) ?? []) follow(call.arguments?.[index], isName)
    }
  }

  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node) || ts.isCallExpression(node)) {
      const called = calledName(node)
      const [first, second, third] = node.arguments ?? []
      if (called === 'AppError') {
        follow(second)
        if (third && ts.isObjectLiteralExpression(third)) follow(propertyOf(third, 'fields'))
      } else if (called === 'invalidField') follow(second)
      else if (called === 'defineRefusals') follow(first)
      else if (isContract) {
        if (called === 'defineCall' && first && ts.isObjectLiteralExpression(first)) {
          follow(propertyOf(first, 'message'), true)
          follow(propertyOf(first, 'messageFor'))
        }
        if (LABELLED.includes(called)) follow(first, true)
        else if (!DESCRIBES.includes(called))
          for (const argument of node.arguments ?? []) told(argument, ts.isIdentifier(node.expression))
      }
    }
    ts.forEachChild(node, visit)
  }

  /**
   * What a schema tells the caller: a sentence, or `error`, written out or in a constant.
   * @param isTranslated a text of `msg`: by our own functions, not by the methods of schemas
   */
  function told(argument: ts.Node, isTranslated: boolean): void {
    const value = constantOf(argument)
    if (ts.isObjectLiteralExpression(value)) follow(propertyOf(value, 'error'))
    else if (isCallOf(value, 'msg')) follow(value, isTranslated)
    else if (ts.isTemplateExpression(value) && isSentence(value.head.text)) follow(value)
    else if (ts.isStringLiteralLike(value) && isSentence(value.text)) follow(value)
  }

  visit(source)
  return [...found]
}

const joins = new Set([
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
])

/** What a name of this file stands for, or the node itself. */
function constantOf(node: ts.Node): ts.Node {
  if (isWrapper(node)) return constantOf(node.expression)
  if (!ts.isIdentifier(node)) return node
  const declared = declarationOf(node)
  return declared &&
    ts.isVariableDeclaration(declared) &&
    declared.initializer &&
    ts.isIdentifier(declared.name)
    ? constantOf(declared.initializer)
    : node
}

function isCallOf(node: ts.Node, name: string): boolean {
  return ts.isCallExpression(node) && calledName(node) === name
}

function hasWords(text: string): boolean {
  return /\p{L}{2}/u.test(text)
}

function isSentence(text: string): boolean {
  return /^[A-Z]\S* /.test(text)
}

function isWrapper(node: ts.Node): node is ts.Node & { expression: ts.Expression } {
  return (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAwaitExpression(node) ||
    ts.isSpreadAssignment(node)
  )
}

function calledName({ expression }: ts.CallExpression | ts.NewExpression): string {
  if (ts.isPropertyAccessExpression(expression)) return expression.name.text
  return ts.isIdentifier(expression) ? expression.text : ''
}

function callsByName(source: ts.SourceFile): Map<string, (ts.CallExpression | ts.NewExpression)[]> {
  const calls = new Map<string, (ts.CallExpression | ts.NewExpression)[]>()
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = calledName(node)
      calls.set(name, [...(calls.get(name) ?? []), node])
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return calls
}

/** A function's name, or that of the constant that has it. */
function nameOf(owner: ts.SignatureDeclaration): string {
  const named = owner.name ?? (ts.isVariableDeclaration(owner.parent) ? owner.parent.name : undefined)
  return named && ts.isIdentifier(named) ? named.text : '(none)'
}

function propertyOf(object: ts.ObjectLiteralExpression, name: string): ts.Node | undefined {
  const property = object.properties.find(({ name: own }) => own && ts.isIdentifier(own) && own.text === name)
  if (property === undefined) return undefined
  return ts.isPropertyAssignment(property) ? property.initializer : property.name
}

/** The objects that a value can be: written out, of a constant, or in one of these by its key. */
function objectsOf(node: ts.Node | undefined): ts.ObjectLiteralExpression[] {
  if (node === undefined) return []
  if (ts.isObjectLiteralExpression(node)) return [node]
  if (isWrapper(node)) return objectsOf(node.expression)
  if (ts.isIdentifier(node)) {
    const declared = declarationOf(node)
    return declared && ts.isVariableDeclaration(declared) ? objectsOf(declared.initializer) : []
  }
  if (!ts.isElementAccessExpression(node)) return []
  return objectsOf(node.expression).flatMap(({ properties }) =>
    properties.flatMap(property =>
      ts.isPropertyAssignment(property) ? objectsOf(property.initializer) : [],
    ),
  )
}

/** What a function returns, without what functions inside of it do. */
function returned(owner: ts.SignatureDeclaration): ts.Expression[] {
  const { body } = owner as ts.FunctionLikeDeclaration
  if (body === undefined) return []
  if (!ts.isBlock(body)) return [body as ts.Expression]
  const values: ts.Expression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return
    if (ts.isReturnStatement(node) && node.expression) values.push(node.expression)
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(body, visit)
  return values
}
