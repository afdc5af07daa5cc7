import { leastAge } from '#shared/limits.ts'
import type { PolicyKind } from '#shared/policies.ts'

const terms = `Estas son las condiciones de una demostración. La empresa no existe y nadie debe enviarle dinero. Muestran cómo las redactaría aquí una empresa.

## Quiénes somos

Probity Capital Partners (empresa ficticia), 1 Sample Street, Sydney NSW 2000, Australia. «Nosotros» es la empresa; «usted» es la persona que tiene una cuenta.

## Su cuenta

- Usted tiene al menos ${leastAge} años y abre una sola cuenta, para usted.
- No revele a nadie su contraseña ni su segundo factor. Bloquee su cuenta de inmediato si cree que otra persona los conoce.
- Podemos cerrar el registro de nuevos inversores. No cerramos ninguna cuenta que tenga dinero sin pagárselo a su titular.

## Depósitos e inversiones

- Usted paga con la criptomoneda, por la red y a la dirección que le mostramos, antes de la hora indicada. Lo que llega se lo abonamos al tipo de cambio que le habíamos mostrado.
- Usted elige un plan. El porcentaje del plan es un objetivo para todo el plazo, no una promesa. Usted puede perder dinero.
- Invertimos su dinero durante el plazo del plan. Usted conserva la versión del plan que eligió, cambiemos lo que cambiemos después.
- Solo pagamos ganancias con rendimientos que hemos realizado y registrado con comprobantes. Nunca las pagamos con depósitos.

## Retiros

- Puede retirar su saldo disponible en cualquier momento a una billetera propia. No cobramos ninguna comisión y nunca pedimos un pago para liberar un retiro.
- Los retiros grandes necesitan la aprobación de dos personas. Si la dirección es nueva, puede haber un tiempo de espera antes de que paguemos a ella.

## Los libros contables

Llevamos todos los saldos en un libro mayor en el que solo se añaden asientos, y publicamos la prueba de ello. Usted puede comprobarla sin preguntarnos.

## Cambios

Le comunicamos las condiciones modificadas al menos catorce días antes de que entren en vigor. No tiene que aceptarlas para retirar su dinero.`

const privacy = `Este es el aviso de privacidad de una demostración. No introduzca datos reales.

## Qué conservamos

- Su nombre, correo electrónico, número de teléfono y país, para gestionar su cuenta.
- Sus depósitos, inversiones, ganancias y retiros, porque los libros contables deben estar completos.
- Sus sesiones y los dispositivos desde los que inicia sesión, para proteger su cuenta.
- Lo que nos escribe y los archivos que nos envía con ello.

## Qué publicamos

Publicamos nuestros libros contables para que cualquiera pueda comprobarlos. Sus transacciones aparecen en ellos con su día e importe, nunca con su nombre. Su perfil explica cómo lo hacemos y le permite borrar lo que las vincula con usted.

## Quién ve sus datos

Nuestro equipo, y cada persona solo lo que requiere su rol. Todo lo que hace el equipo deja una línea en un registro que nadie puede modificar.

## Durante cuánto tiempo

Los registros de dinero, mientras la ley lo exija. Las sesiones, mientras duren y algunas semanas más.

## Qué puede pedirnos

Una copia de sus datos, una rectificación y la supresión de lo que ninguna ley nos obligue a conservar. Escríbanos desde «Mensajes», en su cuenta.`

const risk = `El capital privado es ilíquido y puede perder todo su valor. Invierta solo lo que pueda permitirse perder.

## Objetivos

El porcentaje de un plan es lo que pretendemos obtener durante todo el plazo. No es una previsión, y no debemos ninguna ganancia hasta que hayamos registrado un rendimiento.

## Su dinero queda inmovilizado

No puede retirar el capital antes de que termine el plan.

## Criptomonedas

El valor de una criptomoneda cambia mientras un pago está en camino. Fijamos el tipo de cambio para el pago que llega a tiempo; el que llega tarde vale lo que valga en ese momento. Un pago por una red equivocada puede perderse.

## Sin garantía

Ningún seguro de depósitos cubre su saldo. Si caemos en insolvencia, es posible que no lo recupere.`

const cookies = `No usamos cookies de publicidad ni contamos a los visitantes.

- Una cookie recuerda que este navegador ha mostrado la pantalla de inicio.
- Otra guarda el tema claro u oscuro, si usted ha elegido uno.
- Después de iniciar sesión, su navegador guarda la sesión y una copia de lo que muestra su panel, para que se abra rápido. Cuando usted cierra sesión, el navegador borra ambas.

Si la empresa ha activado un chat en vivo, el proveedor del chat puede instalar sus propias cookies cuando usted lo abra.`

const complaints = `Díganoslo primero a nosotros: desde «Mensajes», en su cuenta, o por correo electrónico. Explique qué ocurrió, cuándo y qué quiere que hagamos.

1. En un plazo de dos días hábiles le confirmamos que hemos recibido su reclamación.
2. Una persona de nuestro equipo que no haya intervenido estudia el asunto y, en un plazo de quince días hábiles, le comunica por escrito una decisión y sus motivos.
3. Si no está de acuerdo, pídanos una segunda decisión; un miembro de la dirección la toma en un plazo de otros quince días hábiles.

Una empresa autorizada indicaría aquí qué defensor del cliente o qué autoridad decide después. Esto es una demostración, y no existe ninguno de los dos.`

export const spanishPolicies: Record<PolicyKind, string> = { terms, privacy, risk, cookies, complaints }
