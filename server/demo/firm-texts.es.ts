import type { TranslatedTexts } from '#shared/contract/firm-texts.ts'

export const spanishTexts: TranslatedTexts = {
  heading: 'Capital privado con libros que usted puede comprobar',
  introduction: 'Invertimos en empresas en funcionamiento y en inmuebles.',
  footerLine: 'Una empresa cuyos inversores pueden comprobar sus libros.',
  description:
    'Capital privado con libros que los inversores pueden comprobar: por partida doble, exactos al centavo. Cada ganancia indica de qué rendimiento procede.',
  teaserHeading: 'Un negocio antiguo con los libros abiertos',
  teaser: [
    'Probity hace una sola cosa: invertir en empresas que ganan dinero, ayudarlas a ganar más y compartir los rendimientos con quienes las financiaron.',
    'Los inversores no necesitan otra promesa. Necesitan una manera de comprobar la última. Por eso construimos la empresa en torno a sus libros y los abrimos.',
  ].join('\n\n'),
  aboutHeading: 'Una firma de capital privado que enseña sus cuentas',
  aboutLead:
    'Probity invierte en empresas en funcionamiento y en inmuebles, para personas que quieren saber de dónde procede un rendimiento.',
  storyHeading: 'Casi todas piden confianza. Nosotros preferimos que nos comprueben',
  story: [
    'El capital privado tarda años e informa poco: entra dinero, sale una cifra y lo que ocurrió entretanto es cuestión de fe.',
    'Nosotros registramos lo que ocurre entretanto. Aquí un rendimiento solo existe cuando se ha realizado y registrado: cuánto, de qué, qué día y con qué documento que lo acredite. Pagamos las ganancias con esos registros y con nada más, de modo que el depósito de un inversor nunca puede ser la ganancia de otro.',
    'Eso nos hace más lentos al prometer y más fáciles de comprobar. Creemos que ese es el orden correcto.',
  ].join('\n\n'),
  values: [
    {
      title: 'Una cultura de integridad',
      text: 'Decimos lo que sabemos, lo que pretendemos y lo que no sabemos, y no mezclamos las tres cosas.',
    },
    {
      title: 'Primero, quienes dirigen el negocio',
      text: 'Las empresas las hacen las personas que las dirigen. Las respaldamos, hacemos preguntas difíciles y no estorbamos.',
    },
    {
      title: 'Inversores centrados en segmentos',
      text: 'Tres segmentos, bien conocidos. La profundidad es la única ventaja que no se puede comprar de un día para otro.',
    },
    {
      title: 'Empresas medianas de menor tamaño',
      text: 'Empresas demasiado pequeñas para los grandes fondos, pero demasiado buenas para pasarlas por alto, donde los precios aún son justos.',
    },
  ],
  services: [
    {
      title: 'Asesoramiento experto',
      text: 'Planificación personalizada: cuánto, durante cuánto tiempo y para qué, con alguien que también le dirá cuándo no invertir.',
    },
    {
      title: 'Oportunidades de inversión diversas',
      text: 'Planes de tecnología, inmuebles y jubilación, desde un primer paso hasta los ahorros de una familia.',
    },
    {
      title: 'Seguimiento transparente de los resultados',
      text: 'Su panel y su extracto de cuenta proceden del mismo libro mayor que usamos nosotros, al centavo y al minuto.',
    },
  ],
  sectorsHeading: 'Tres sectores, bien conocidos',
  sectorsLead: 'Preferimos perdernos una moda a comprar lo que no sabemos valorar.',
  servicesLead:
    'Tres campos y la misma pregunta en cada uno: ¿qué se ganó, quién lo ganó y qué documento lo acredita?',
  sectors: [
    {
      title: 'Tecnologías de la información',
      brief:
        'Programas y servicios que las empresas pagan cada mes y que echarían de menos a la mañana siguiente.',
      text: 'Las empresas que buscamos rara vez salen en las noticias. Programan camiones, liquidan facturas y llevan registros para sectores poco vistosos. Sus clientes renuevan porque marcharse costaría más que quedarse.',
      seek: [
        'Ingresos recurrentes y clientes que se quedan',
        'Fundadores que siguen hablando con los clientes',
        'Crecimiento que la empresa se gana por sí misma',
      ],
      avoid: [
        'Empresas que necesitan la próxima ronda de financiación para sobrevivir',
        'Dependencia de un único cliente',
      ],
      evidence: 'Avisos de distribución y confirmaciones bancarias de lo que ha pagado una empresa.',
    },
    {
      title: 'Inmuebles',
      brief: 'Edificios con inquilinos: industria ligera, oficinas pequeñas y viviendas en alquiler.',
      text: 'El alquiler es un rendimiento que llega cada mes y que podemos mostrar a cualquiera que lo pida. Miramos el contrato antes que el edificio, y al inquilino antes que el contrato.',
      seek: [
        'Inquilinos instalados, con años de contrato por delante',
        'Reparaciones cuyo coste puede calcularse antes de la compra',
        'Calles donde es fácil encontrar al próximo inquilino',
      ],
      avoid: ['Precios que solo un precio más alto podría justificar', 'Terrenos en obras'],
      evidence: 'Alquileres cobrados, descontados los gastos, y liquidaciones de ventas.',
    },
    {
      title: 'Planes de jubilación',
      brief:
        'Planes de años y no de semanas, para el dinero que tiene que estar ahí cuando deje de trabajar.',
      text: 'Un horizonte largo perdona un mal trimestre y castiga un mal hábito. Por eso escribimos el plan antes de que entre el primer dólar: cuánto, durante cuánto tiempo y qué nos haría cambiarlo.',
      seek: [
        'Participaciones repartidas entre los otros dos sectores',
        'Costes que se conocen de antemano',
        'Un ritmo acorde con el año en que deje de trabajar',
      ],
      avoid: ['Todo lo que haya que vender con prisas', 'Objetivos que solo un buen año permitiría alcanzar'],
      evidence: 'Los rendimientos de las participaciones, cada uno registrado donde se obtuvo.',
    },
  ],
  processLead:
    'Planificación personalizada al principio y seguimiento transparente de los resultados hasta el final.',
  questions: [
    {
      title: '¿Cuándo se abona mi depósito?',
      text: 'Un pago a una dirección propia se abona cuando su red lo ha confirmado suficientes veces: su página cuenta las confirmaciones. Un pago a una dirección fija se abona cuando nuestro equipo lo ha comprobado. Solo se abona lo que ha llegado.',
    },
    {
      title: '¿Y si pago de menos, de más o demasiado tarde?',
      text: 'Su pago no se pierde. La página del depósito dice qué ha llegado y qué puede hacer. Un pago a tiempo conserva el tipo de cambio fijado; a uno tardío se le aplica el del momento de su llegada.',
    },
    {
      title: '¿Qué significa el objetivo de un plan?',
      text: 'Lo que pretendemos obtener sobre el importe durante todo el plazo, de forma simple y no compuesta. No es un interés ni una promesa. Si obtenemos menos, usted gana menos, o nada.',
    },
    {
      title: '¿De dónde proceden mis ganancias?',
      text: 'De rendimientos que hemos realizado y registrado, y de nada más. Nuestros libros rechazan una ganancia que ningún rendimiento registrado cubra. Usted puede ver el comprobante de cada rendimiento; los libros no pueden demostrar que sea verdadero.',
    },
    {
      title: '¿Puedo ver con qué se pagó una ganancia?',
      text: 'Sí. Abra la ganancia en su panel: indica el rendimiento con que se pagó, el día y el comprobante, que puede guardar o consultar.',
    },
    {
      title: '¿Cómo compruebo sus libros?',
      text: 'Los firmamos y publicamos cada día. La página «Compruebe nuestros libros por su cuenta» explica cómo puede comprobarlos cualquiera y qué no demuestra eso. Su extracto de cuenta comprueba sus propios movimientos en su navegador.',
    },
    {
      title: '¿Cuánto tarda un retiro?',
      text: 'Una persona aprueba cada uno, y una segunda persona cada uno de los grandes. Después lo pagamos desde una billetera de la que este sitio web no puede gastar. La página «Retirar fondos» muestra cuánto tardaron los últimos, en cuanto hay suficientes.',
    },
    {
      title: '¿Me pedirán alguna vez un pago antes de un retiro?',
      text: 'No: ni comisión, ni impuesto, ni depósito. Quien lo pida en nuestro nombre es un impostor. Por favor, avísenos.',
    },
    {
      title: '¿Puedo cancelar una solicitud?',
      text: 'Sí, mientras esté pendiente: un depósito sin pagar, una inversión o un retiro. Lo que estaba retenido vuelve a estar disponible.',
    },
    {
      title: 'He perdido mi teléfono. ¿Cómo entro?',
      text: 'Use uno de los códigos de recuperación que guardó o una llave de acceso. Si no tiene ninguno de los dos, escríbanos. Dos de nuestros administradores deben aprobar un restablecimiento, y le avisamos por correo electrónico antes de que surta efecto, para que pueda oponerse.',
    },
    {
      title: '¿Con qué rapidez pueden venderse sus participaciones?',
      text: 'No con rapidez: el capital privado es ilíquido. Invierta solo lo que pueda dejar invertido durante todo el plazo.',
    },
    {
      title: '¿Están regulados?',
      text: 'No. Esta es una empresa ficticia de demostración. Ninguna autoridad la ha autorizado ni la supervisa.',
    },
  ],
  contactLead: 'Pregunte antes de invertir. Una persona leerá su mensaje y le responderá.',
  unregulatedStatement:
    'Una empresa ficticia de demostración. Ninguna autoridad la ha autorizado ni la supervisa.',
  jurisdictions: 'Ninguna: esto es una demostración',
  riskStatement:
    'El capital privado es ilíquido y puede perder todo su valor. Invierta solo lo que pueda permitirse perder.',
}
