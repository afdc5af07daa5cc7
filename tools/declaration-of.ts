import ts from '#tools/typescript-api.ts'

type Named = ts.VariableDeclaration | ts.FunctionDeclaration | ts.ParameterDeclaration

/** The nearest declaration of a name in its file. */
export function declarationOf(name: ts.Identifier): Named | undefined {
  for (let scope: ts.Node = name.parent; scope !== undefined; scope = scope.parent) {
    if (ts.isFunctionLike(scope)) {
      const parameter = scope.parameters.find(each => bindsName(each.name, name.text))
      if (parameter) return parameter
    }
    if (!ts.isBlock(scope) && !ts.isSourceFile(scope)) continue
    for (const statement of scope.statements) {
      if (ts.isFunctionDeclaration(statement) && statement.name?.text === name.text) return statement
      if (!ts.isVariableStatement(statement)) continue
      const declared = statement.declarationList.declarations.find(each => bindsName(each.name, name.text))
      if (declared) return declared
    }
  }
  return undefined
}

function bindsName(binding: ts.BindingName, name: string): boolean {
  if (ts.isIdentifier(binding)) return binding.text === name
  return binding.elements.some(element => ts.isBindingElement(element) && bindsName(element.name, name))
}
